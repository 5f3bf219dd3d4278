// SPDX-License-Identifier: GPL-2.0-only
#include "live/terminal.h"
#include "live/terminal_crash.h"
#include "output/invisible.h"
#include "output/message.h"
#include "output/quoted.h"
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <term.h>
#include <unistd.h>
#include <wctype.h>

#define ESCAPE 27
#define ESCAPE_MS 25 /* what follows it that soon is a key's, not typed */

static struct {
	SCREEN *screen;
	bool on;
	int signals;
	sigset_t old_mask;
} terminal = { .signals = -1 };

static bool is_able(void)
{
	const char *name = getenv("TERM");
	int found;

	if (!name || !*name) {
		message("--live: TERM is not set, so this terminal is unknown; set it, for instance: export TERM=linux");
		return false;
	}
	if (setupterm(name, STDOUT_FILENO, &found) != OK) {
		message("--live: TERM=%s: this terminal is not known; set it to one that is, for instance: export TERM=linux",
			quoted(name));
		return false;
	}
	if (cursor_address && clear_screen)
		return true;
	message("--live: TERM=%s: this terminal has no screen to draw on; --lives prints line by line",
		quoted(name));
	return false;
}

bool terminal_check(void)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		message("--live: standard %s is no terminal: a screen needs one for both input and output; --lives prints line by line",
			isatty(STDOUT_FILENO) ? "input" : "output");
		return false;
	}
	return is_able();
}

static void signal_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTSTP);
	sigaddset(set, SIGCONT);
	sigaddset(set, SIGWINCH);
}

bool terminal_begin(bool colored)
{
	sigset_t set;

	if (terminal.on)
		return true;
	crash_remember();
	signal_set(&set);
	sigprocmask(SIG_BLOCK, &set, &terminal.old_mask);
	set_escdelay(ESCAPE_MS);
	terminal.screen = newterm(NULL, stdout, stdin);
	if (!terminal.screen) {
		message("--live: this terminal cannot be made a screen; --lives prints line by line");
		return false;
	}
	/* In place of ncurses' handlers, which draw in the middle of whatever happens. */
	signal(SIGTSTP, SIG_DFL);
	signal(SIGWINCH, SIG_DFL);
	terminal.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	terminal.on = true;
	message_hold();
	crash_watch(terminal_end);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	curs_set(0);
	if (colored && has_colors() && start_color() == OK && use_default_colors() == OK) {
		init_pair(1, COLOR_RED, -1);
		init_pair(2, COLOR_GREEN, -1);
		init_pair(3, COLOR_YELLOW, -1);
	}
	return true;
}

void terminal_end(void)
{
	if (!terminal.on)
		return;
	terminal.on = false;
	erase();
	curs_set(1);
	endwin();
	crash_forget();
	delscreen(terminal.screen);
	if (terminal.signals >= 0)
		close(terminal.signals);
	sigprocmask(SIG_SETMASK, &terminal.old_mask, NULL);
	message_release();
}

int terminal_rows(void)
{
	return LINES;
}

int terminal_columns(void)
{
	return COLS;
}

int terminal_signals(void)
{
	return terminal.signals;
}

static void resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

/* Another program had the terminal. */
static void resume(void)
{
	reset_prog_mode();
	resize();
	curs_set(0);
	terminal_redraw();
	refresh();
}

/* As the shell knows it: where no process could continue us, the kernel does not stop us. */
static void stop(void)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void suspend(void)
{
	sigset_t pending;

	curs_set(1);
	endwin();
	/*
	 * Where the shell saw another of its job stop first, we no longer had the terminal and were stopped
	 * for writing to it. Then we have been continued already, and no process would do it again.
	 */
	sigpending(&pending);
	if (!sigismember(&pending, SIGCONT))
		stop();
	resume();
}

bool terminal_take_signals(void)
{
	struct signalfd_siginfo info;
	bool any = false;

	while (read(terminal.signals, &info, sizeof(info)) == sizeof(info)) {
		any = true;
		if (info.ssi_signo == SIGTSTP)
			suspend();
		else if (info.ssi_signo == SIGCONT) /* it was stopped without our help */
			resume();
		else
			resize();
	}
	return any;
}

static int own_key(wint_t key)
{
	static const struct {
		wint_t theirs;
		int own;
	} keys[] = {
		{ KEY_UP, KEY_IS_UP },		 { KEY_DOWN, KEY_IS_DOWN },
		{ KEY_LEFT, KEY_IS_LEFT },	 { KEY_RIGHT, KEY_IS_RIGHT },
		{ KEY_PPAGE, KEY_IS_PAGE_UP },	 { KEY_NPAGE, KEY_IS_PAGE_DOWN },
		{ KEY_HOME, KEY_IS_HOME },	 { KEY_END, KEY_IS_END },
		{ KEY_BACKSPACE, KEY_IS_BACKSPACE }, { KEY_ENTER, KEY_IS_ENTER },
		{ KEY_BTAB, KEY_IS_BACK_TAB },
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].theirs == key)
			return keys[i].own;
	return key >= KEY_F(1) && key <= KEY_F(12) ? KEY_IS_F((int)key - KEY_F(0)) : KEY_IS_OTHER;
}

int terminal_key(void)
{
	wint_t key;
	int ret;

	do { /* that is known from the signal */
		ret = get_wch(&key);
	} while (ret == KEY_CODE_YES && key == KEY_RESIZE);
	if (ret == KEY_CODE_YES)
		return own_key(key);
	if (ret == ERR)
		return KEY_NONE;
	switch (key) {
	case '\r':
	case '\n':
		return KEY_IS_ENTER;
	case '\t':
		return KEY_IS_TAB;
	case '\b':
	case 0x7f:
		return KEY_IS_BACKSPACE;
	case ESCAPE:
		return KEY_IS_ESCAPE;
	}
	return (int)key;
}

void terminal_redraw(void)
{
	clearok(curscr, TRUE);
}

/* Those that text_style() makes; a number that is none of them changes nothing. */
static attr_t style_of(int number)
{
	switch (number) {
	case 1:
		return A_BOLD;
	case 2:
		return A_DIM;
	case 31:
		return COLOR_PAIR(1);
	case 32:
		return COLOR_PAIR(2);
	case 33:
		return COLOR_PAIR(3);
	}
	return A_NORMAL;
}

static void put(const char **text, int *left)
{
	mbstate_t state = { 0 };
	wchar_t wide = L'?';
	size_t n = mbrtowc(&wide, *text, strlen(*text), &state);
	int width;

	if (n == 0 || n > MB_CUR_MAX) {
		n = 1;
		wide = L'?';
	}
	/* The texts have no such thing; but if one had, it would not reach the terminal. */
	if (!iswprint((wint_t)wide) || is_invisible(wide))
		wide = L'?';
	*text += n;
	width = wcwidth(wide);
	if (width > *left) {
		*left = 0;
		return;
	}
	*left -= width > 0 ? width : 0;
	addnwstr(&wide, 1);
}

void terminal_line(int row, const char *text, bool marked)
{
	attr_t base = marked ? A_REVERSE : A_NORMAL, style = A_NORMAL;
	int left = COLS, number, length;

	if (row < 0 || row >= LINES || move(row, 0) == ERR)
		return;
	attrset(base);
	clrtoeol();
	while (*text && left > 0) {
		length = 0;
		if (sscanf(text, "\033[%2dm%n", &number, &length) == 1 && length) {
			style = style_of(number);
			/* In reverse, dim can hardly be read. */
			attrset(base | (marked && style == A_DIM ? A_NORMAL : style));
			text += length;
			continue;
		}
		put(&text, &left);
	}
	attrset(base);
	for (; marked && left > 0; left--)
		addch(' ');
	attrset(A_NORMAL);
}

void terminal_show(int row, int column)
{
	curs_set(row >= 0);
	if (row >= 0)
		move(row, column < COLS ? column : COLS - 1);
	refresh();
}
