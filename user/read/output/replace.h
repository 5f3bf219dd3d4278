/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_REPLACE_H
#define READ_REPLACE_H

#include <stddef.h>

/*
 * Writes a file anew: whoever reads it finds the old text or the new one, never a part. It gets the mode
 * 0644, less the umask. Another file is written beside it for a moment, PATH.PID. Returns 0 or a negative
 * errno; then the old file is as it was, and the other one is gone. After a crash of the machine either
 * text can be there, or none.
 */
int replace_file(const char *path, const char *text, size_t size);

#endif
