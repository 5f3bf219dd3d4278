/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages to a service manager: see sd_notify(3), whose protocol is a datagram of lines. */
#ifndef READ_NOTIFY_H
#define READ_NOTIFY_H

#include <stdbool.h>

/* Is there one that wants to know? */
bool notify_is_wanted(void);
/* A line, such as "READY=1" or "STATUS=..."; nothing happens without a service manager. */
void notify_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
