/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_FTRACE_H
#define READ_FTRACE_H

#include <stdbool.h>

/* Does nothing run at the beginning of functions now? Without the function tracer there is no such switch. */
bool ftrace_is_off(void);

#endif
