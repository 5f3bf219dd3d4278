/* SPDX-License-Identifier: GPL-2.0-only */
/* Recording can be stopped and started again, by the parameter `recording`: the rings stay as they are. */
#ifndef PROCLIFE_RECORDING_H
#define PROCLIFE_RECORDING_H

/* The sources are there, and record. Stops them if the parameter says so. */
void proclife_recording_init(void);
/* The sources stay as they are: the parameter has no effect any more. */
void proclife_recording_exit(void);

#endif
