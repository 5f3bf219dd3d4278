/* SPDX-License-Identifier: GPL-2.0-only */
/* --compress: what has been recorded is compressed, once it is complete. */
#ifndef READ_COMPRESS_H
#define READ_COMPRESS_H

/*
 * @option: "--record" or "--slice", for messages. Ctrl-C and the like stop it, which is no error: the recording is
 * complete. They are pending then; who does not block them gets them at the end. Returns 0, or a negative errno
 * after a message.
 */
int compress_recording(const char *option, const char *dir);

#endif
