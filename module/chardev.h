/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/proclife. */
#ifndef PROCLIFE_CHARDEV_H
#define PROCLIFE_CHARDEV_H

int proclife_chardev_init(void);
void proclife_chardev_exit(void);

#endif
