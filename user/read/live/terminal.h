/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal as a screen: all that knows of ncurses. */
#ifndef READ_TERMINAL_H
#define READ_TERMINAL_H

#include <stdbool.h>

/* What terminal_key() returns, beside characters and those that stand for their own. */
enum terminal_key {
	KEY_NONE = -1,
	KEY_IS_F0 = 0x110000, /* behind all characters; F1 to F12 follow */
	KEY_IS_UP = KEY_IS_F0 + 20,
	KEY_IS_DOWN,
	KEY_IS_LEFT,
	KEY_IS_RIGHT,
	KEY_IS_PAGE_UP,
	KEY_IS_PAGE_DOWN,
	KEY_IS_HOME,
	KEY_IS_END,
	KEY_IS_BACKSPACE,
	KEY_IS_ENTER,
	KEY_IS_TAB,
	KEY_IS_BACK_TAB,
	KEY_IS_ESCAPE,
	KEY_IS_OTHER,
};

#define KEY_IS_F(n) (KEY_IS_F0 + (n))
#define KEY_IS_CTRL(letter) ((letter) & 0x1f)

/* Can there be a screen? Says why not, and what to do about it. */
bool terminal_check(void);
/*
 * From here on the terminal is a screen, and messages are held, until terminal_end(); whatever ends the
 * program but SIGKILL leaves the terminal as it was. False after a message.
 */
bool terminal_begin(bool colored);
void terminal_end(void);

int terminal_rows(void);
int terminal_columns(void);

/* A descriptor for poll(2): Ctrl-Z, and another size. */
int terminal_signals(void);
/* What has come from there. True if all is to be drawn again. */
bool terminal_take_signals(void);

/* The next key, or KEY_NONE. */
int terminal_key(void);

/*
 * Draws a line, with the styles of text_style() and nothing else that a terminal would obey, from this
 * place on to the right edge. @marked: in reverse.
 */
void terminal_line(int row, const char *text, bool marked);
/* All of it is to be sent again: another program has written there. */
void terminal_redraw(void);
/* Shows what was drawn. @row: where the cursor stands, behind @column others; -1: it is not shown. */
void terminal_show(int row, int column);

#endif
