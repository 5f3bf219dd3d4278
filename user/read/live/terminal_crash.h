/* SPDX-License-Identifier: GPL-2.0-only */
/* Whatever ends the program in the middle of a screen: the terminal is given back before. */
#ifndef READ_TERMINAL_CRASH_H
#define READ_TERMINAL_CRASH_H

/* How the terminal is before it becomes a screen. */
void crash_remember(void);
/* From now on, once terminfo is there. @end: what exit(3) does in the middle. */
void crash_watch(void (*end)(void));
void crash_forget(void);

#endif
