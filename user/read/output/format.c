// SPDX-License-Identifier: GPL-2.0-only
#include "output/digits.h"
#include "output/format.h"
#include "output/invisible.h"
#include "output/message.h"
#include "output/wrap.h"
#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

void screen_init(struct screen *screen, enum color color)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	memset(screen, 0, sizeof(*screen));
	screen->out = stdout;
	screen->color = color_is_on(color, STDOUT_FILENO);
	screen->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (columns && atoi(columns) > 0)
		screen->width = atoi(columns);
	if (isatty(STDOUT_FILENO)) {
		if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
			screen->width = size.ws_col;
		else if (!screen->width)
			screen->width = 80;
	}
	if (screen->width && screen->width < 40)
		screen->width = 40;
}

void text_init(struct text *text, const struct screen *screen)
{
	memset(text, 0, sizeof(*text));
	text->screen = screen;
}

void text_free(struct text *text)
{
	free(text->s);
	text->s = NULL;
}

void text_clear(struct text *text)
{
	text->len = 0;
	text->columns = 0;
	text->hang = 0;
}

void text_grow(struct text *text, size_t n)
{
	size_t size = (text->len + n + 1) * 2;
	char *s;

	if (size < 256)
		size = 256;
	s = realloc(text->s, size);
	if (!s)
		die_no_memory();
	text->s = s;
	text->size = size;
}

void text_printf(struct text *text, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text_room(text, 128), 129, format, args);
	va_end(args);
	if (n > 128) {
		va_start(args, format);
		vsnprintf(text_room(text, n), n + 1, format, args);
		va_end(args);
	}
	if (n > 0) {
		text->len += n;
		text->columns += n;
	}
}

void text_uint(struct text *text, uint64_t value)
{
	text_wrote(text, put_digits(text_room(text, DIGITS_MAX), value));
}

void text_uint_in(struct text *text, unsigned int columns, uint64_t value)
{
	unsigned int n = count_digits(value);

	if (n < columns)
		text_spaces(text, columns - n);
	text_wrote(text, put_padded(text_room(text, n), value, n));
}

void text_pad(struct text *text, unsigned int column)
{
	if (column > text->columns)
		text_spaces(text, column - text->columns);
}

void text_escape(struct text *text, unsigned char c)
{
	static const char letters[] = "abtnvfr"; /* 7 to 13 */

	if (c == '\\')
		text_string(text, "\\\\");
	else if (c >= 7 && c <= 13)
		text_printf(text, "\\%c", letters[c - 7]);
	else
		text_printf(text, "\\x%02x", c);
}

void text_name(struct text *text, const char *s, size_t n)
{
	if (n == SIZE_MAX)
		n = strlen(s);
	while (n && *s) {
		size_t bytes = plain_length(s, n, '\\');
		unsigned char c = *s;

		if (bytes) {
			text_bytes(text, s, bytes, bytes);
			s += bytes;
			n -= bytes;
			continue;
		}
		bytes = 1;
		if (c < 0x80 || !text->screen->utf8) {
			text_escape(text, c);
		} else {
			mbstate_t state = { 0 };
			wchar_t wide;
			size_t length = mbrtowc(&wide, s, strnlen(s, n), &state);
			int columns = length > n ? -1 : wcwidth(wide);

			if (columns > 0 && iswprint(wide) && !is_invisible(wide)) {
				bytes = length;
				text_bytes(text, s, bytes, columns);
			} else {
				text_escape(text, c);
			}
		}
		s += bytes;
		n -= bytes;
	}
}

void text_label(struct text *text, const char *s, size_t n)
{
	if (n && *s)
		text_name(text, s, n);
	else
		text_string(text, "\"\"");
}

/* value / unit with three significant digits, rounded to nearest. */
static void three_digits(struct text *text, double value, const char *unit)
{
	text_printf(text, "%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, unit);
}

/* A quotient with this many decimals; scale is 10 to that power. Both constant, once inlined. */
static inline __attribute__((always_inline)) void
put_quotient(struct text *text, uint64_t value, uint64_t unit, uint64_t scale, unsigned int decimals,
	     const char *name)
{
	uint64_t n = value * scale / unit, rest = value * scale % unit;
	char *to;

	/* Exactly between two roundings, do what the double arithmetic does. */
	if (2 * rest == unit) {
		three_digits(text, (double)value / unit, name);
		return;
	}
	n += 2 * rest > unit;
	to = put_digits(text_room(text, DIGITS_MAX + 4), n / scale);
	if (decimals) {
		*to++ = '.';
		to = put_padded(to, n % scale, decimals);
	}
	*to++ = ' ';
	text_wrote(text, to);
	text_string(text, name);
}

/* Like three_digits(), without printf(), for a value below 2^53 and a unit of 2^30 at most. */
static inline __attribute__((always_inline)) void
three_digits_of(struct text *text, uint64_t value, uint64_t unit, const char *name)
{
	if (value * 1000 < 9995 * unit)
		put_quotient(text, value, unit, 100, 2, name);
	else if (value * 100 < 9995 * unit)
		put_quotient(text, value, unit, 10, 1, name);
	else
		put_quotient(text, value, unit, 1, 0, name);
}

void text_time(struct text *text, uint64_t ns)
{
	/* A unit ends with its three digits: 999 us, then 1.00 ms. Seconds go up to 1000. */
	if (ns < 1000) {
		text_uint(text, ns);
		text_string(text, " ns");
	} else if (ns < 999500) {
		three_digits_of(text, ns, 1000, "");
		text_draw(text, "µs", "us");
	} else if (ns < 999500000) {
		three_digits_of(text, ns, 1000000, "ms");
	} else if (ns < 999500000000) {
		three_digits_of(text, ns, 1000000000, "s");
	} else if (ns < 3600000000000) {
		three_digits(text, ns / 60e9, "min");
	} else {
		three_digits(text, ns / 3600e9, "h");
	}
}

void text_size(struct text *text, uint64_t kib)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = kib;
	unsigned int i = 0;

	if (kib < 1000) {
		text_uint(text, kib);
		text_string(text, " KiB");
		return;
	}
	for (; i < 3 && value >= 999.5; i++)
		value /= 1024;
	if (value < 999.5)
		three_digits_of(text, kib, 1ULL << 10 * i, units[i]);
	else
		three_digits(text, value, units[i]);
}

void text_count(struct text *text, uint64_t n)
{
	char digits[DIGITS_MAX];
	int length = put_digits(digits, n) - digits;
	int i;

	for (i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text_string(text, ",");
		text_bytes(text, &digits[i], 1, 1);
	}
}

/* Moves what was appended after `start` to the right edge of the columns. */
static void align_right(struct text *text, size_t start, unsigned int before, unsigned int columns)
{
	unsigned int taken = text->columns - before;
	unsigned int pad = taken < columns ? columns - taken : 0;

	text_room(text, pad);
	memmove(text->s + start + pad, text->s + start, text->len - start + 1);
	memset(text->s + start, ' ', pad);
	text->len += pad;
	text->columns += pad;
}

void text_time_in(struct text *text, unsigned int columns, uint64_t ns)
{
	size_t start = text->len;
	unsigned int before = text->columns;

	text_time(text, ns);
	align_right(text, start, before, columns);
}

void text_time_at_least_in(struct text *text, unsigned int columns, uint64_t ns)
{
	size_t start = text->len;
	unsigned int before = text->columns;

	text_draw(text, "≥", ">");
	text_time(text, ns);
	align_right(text, start, before, columns);
}

void text_size_in(struct text *text, unsigned int columns, uint64_t kib)
{
	size_t start = text->len;
	unsigned int before = text->columns;

	text_size(text, kib);
	align_right(text, start, before, columns);
}

void text_count_in(struct text *text, unsigned int columns, uint64_t n)
{
	size_t start = text->len;
	unsigned int before = text->columns;

	text_count(text, n);
	align_right(text, start, before, columns);
}

void text_plural(struct text *text, uint64_t n, const char *one, const char *many)
{
	text_count(text, n);
	text_string(text, " ");
	text_string(text, plural(n, one, many));
}

const char *upper(char *to, size_t size, const char *name)
{
	size_t i;

	for (i = 0; name[i] && i + 1 < size; i++)
		to[i] = (char)toupper((unsigned char)name[i]);
	to[i] = '\0';
	return to;
}

void text_stamp(struct text *text, uint64_t ns)
{
	char *to;

	text_uint_in(text, 5, ns / 1000000000);
	to = text_room(text, 10);
	*to++ = '.';
	text_wrote(text, put_padded(to, ns % 1000000000, 9));
}

void text_bar(struct text *text, unsigned int columns, uint64_t value, uint64_t max)
{
	static const char *const eighths[] = { "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };
	unsigned int before = text->columns;
	unsigned int units = text->screen->utf8 ? 8 : 1;
	unsigned int n = max ? (double)value / max * columns * units + 0.5 : 0;

	if (value && !n)
		n = 1;
	for (; n >= units; n -= units)
		text_draw(text, "█", "#");
	if (n)
		text_draw(text, eighths[n - 1], "#");
	text_pad(text, before + columns);
}

/* Also those before the end of a colour. */
static void strip_spaces(struct text *text)
{
	size_t end = text->screen->color ? text_plain_end(text) : 0, len = text->len - end;

	if (!text->len) /* of an empty text there may be no bytes yet */
		return;
	for (; len && text->s[len - 1] == ' '; text->columns--)
		len--;
	if (end) /* otherwise there need be no text at all */
		memmove(text->s + len, text->s + text->len - end, end);
	text->len = len + end;
}

void text_line(struct text *text)
{
	strip_spaces(text);
	if (text->screen->width && text->columns > text->screen->width)
		text_wrap(text, text->screen->width);
	text_room(text, 1)[0] = '\n';
	fwrite_unlocked(text->s, 1, text->len + 1, text->screen->out);
	text_clear(text);
}

const char *signal_name(int signo, char buffer[24])
{
	static const char *const names[] = {
		[SIGHUP] = "SIGHUP",	   [SIGINT] = "SIGINT",	      [SIGQUIT] = "SIGQUIT",
		[SIGILL] = "SIGILL",	   [SIGTRAP] = "SIGTRAP",     [SIGABRT] = "SIGABRT",
		[SIGBUS] = "SIGBUS",	   [SIGFPE] = "SIGFPE",	      [SIGKILL] = "SIGKILL",
		[SIGUSR1] = "SIGUSR1",	   [SIGSEGV] = "SIGSEGV",     [SIGUSR2] = "SIGUSR2",
		[SIGPIPE] = "SIGPIPE",	   [SIGALRM] = "SIGALRM",     [SIGTERM] = "SIGTERM",
		[SIGCHLD] = "SIGCHLD",	   [SIGCONT] = "SIGCONT",     [SIGSTOP] = "SIGSTOP",
		[SIGTSTP] = "SIGTSTP",	   [SIGTTIN] = "SIGTTIN",     [SIGTTOU] = "SIGTTOU",
		[SIGURG] = "SIGURG",	   [SIGXCPU] = "SIGXCPU",     [SIGXFSZ] = "SIGXFSZ",
		[SIGVTALRM] = "SIGVTALRM", [SIGPROF] = "SIGPROF",     [SIGWINCH] = "SIGWINCH",
		[SIGIO] = "SIGIO",	   [SIGPWR] = "SIGPWR",	      [SIGSYS] = "SIGSYS",
#ifdef SIGSTKFLT
		[SIGSTKFLT] = "SIGSTKFLT",
#endif
	};
	const int rtmin = 32; /* the kernel's; the C library reserves the first ones for itself */

	if (signo > 0 && signo < (int)(sizeof(names) / sizeof(names[0])) && names[signo])
		return names[signo];
	if (signo >= SIGRTMIN && signo <= SIGRTMAX)
		snprintf(buffer, 24, "SIGRTMIN+%d", signo - SIGRTMIN);
	else if (signo >= rtmin && signo < SIGRTMIN)
		snprintf(buffer, 24, "SIG%d", signo);
	else
		snprintf(buffer, 24, "signal %d", signo);
	return buffer;
}

const char *type_text(unsigned int type, char buffer[16])
{
	const char *name = proclife_type_name(type);

	if (name)
		return name;
	snprintf(buffer, 16, "type%u", type);
	return buffer;
}

static const char *what_text(const char *const *names, size_t count, unsigned int what, char buffer[16])
{
	if (what && what < count && names[what])
		return names[what];
	snprintf(buffer, 16, "%u", what);
	return buffer;
}

#define WHAT_TEXT(names, what, buffer) what_text(names, sizeof(names) / sizeof(*(names)), what, buffer)

const char *birth_what_text(unsigned int what, char buffer[16])
{
	static const char *const names[] = {
		[PROCLIFE_BIRTH_FORKING] = "forking", [PROCLIFE_BIRTH_STARTED] = "started",
		[PROCLIFE_BIRTH_EXECING] = "execing", [PROCLIFE_BIRTH_PAST] = "past",
	};

	return WHAT_TEXT(names, what, buffer);
}

const char *fail_what_text(unsigned int what, char buffer[16])
{
	static const char *const names[] = { [PROCLIFE_FAIL_FORK] = "fork", [PROCLIFE_FAIL_EXEC] = "exec" };

	return WHAT_TEXT(names, what, buffer);
}

const char *times_what_text(unsigned int what, char buffer[16])
{
	static const char *const names[] = {
		[PROCLIFE_TIMES_EXECING] = "execing", [PROCLIFE_TIMES_EXEC] = "exec",
		[PROCLIFE_TIMES_EXITING] = "exiting", [PROCLIFE_TIMES_NOTIFY] = "notify",
		[PROCLIFE_TIMES_FORKING] = "forking", [PROCLIFE_TIMES_FORK] = "fork",
		[PROCLIFE_TIMES_PAST] = "past",
	};

	return WHAT_TEXT(names, what, buffer);
}

const char *path_what_text(unsigned int what, char buffer[16])
{
	static const char *const names[] = {
		[PROCLIFE_PATH_EXE] = "exe", [PROCLIFE_PATH_CWD] = "cwd", [PROCLIFE_PATH_ENV] = "env",
	};

	return WHAT_TEXT(names, what, buffer);
}

const char *fail_limit_text(unsigned int limit, char buffer[16])
{
	static const char *const names[] = {
		[PROCLIFE_LIMIT_NPROC] = "nproc", [PROCLIFE_LIMIT_PIDS_MAX] = "pids.max",
		[PROCLIFE_LIMIT_PID_MAX] = "pid_max", [PROCLIFE_LIMIT_NO_INIT] = "no_init",
	};

	return limit ? WHAT_TEXT(names, limit, buffer) : NULL;
}

/* Those that a fork or an exec can fail with: strerrorname_np() is not in glibc 2.31. */
const char *error_name(unsigned int error, char buffer[16])
{
#define NAME(error) [error] = #error
	static const char *const names[] = {
		NAME(EPERM), NAME(ENOENT), NAME(ESRCH), NAME(EINTR), NAME(EIO), NAME(ENXIO), NAME(E2BIG),
		NAME(ENOEXEC), NAME(EBADF), NAME(ECHILD), NAME(EAGAIN), NAME(ENOMEM), NAME(EACCES),
		NAME(EFAULT), NAME(EBUSY), NAME(EEXIST), NAME(ENODEV), NAME(ENOTDIR), NAME(EISDIR),
		NAME(EINVAL), NAME(ENFILE), NAME(EMFILE), NAME(ENOTTY), NAME(ETXTBSY), NAME(EFBIG),
		NAME(ENOSPC), NAME(EROFS), NAME(ERANGE), NAME(EDEADLK), NAME(ENAMETOOLONG), NAME(ENOSYS),
		NAME(ELOOP), NAME(ENODATA), NAME(ETIME), NAME(EPROTO), NAME(EBADMSG), NAME(EOVERFLOW),
		NAME(ELIBBAD), NAME(EUSERS), NAME(EOPNOTSUPP), NAME(ENETDOWN), NAME(ENETUNREACH),
		NAME(ECONNABORTED), NAME(ECONNRESET), NAME(ENOBUFS), NAME(ENOTCONN), NAME(ETIMEDOUT),
		NAME(ECONNREFUSED), NAME(EHOSTDOWN), NAME(EHOSTUNREACH), NAME(ESTALE), NAME(EUCLEAN),
		NAME(EREMOTEIO), NAME(EDQUOT), NAME(ENOMEDIUM), NAME(ECANCELED), NAME(ENOKEY),
		NAME(EKEYEXPIRED), NAME(EKEYREVOKED), NAME(EKEYREJECTED), NAME(EHWPOISON),
	};
#undef NAME

	if (error < sizeof(names) / sizeof(*names) && names[error])
		return names[error];
	snprintf(buffer, 16, "%u", error);
	return buffer;
}

const char *mm_what_text(unsigned int what, char buffer[16])
{
	static const char *const names[] = {
		[PROCLIFE_MM_LEFT] = "left",	     [PROCLIFE_MM_ASYNC] = "async",
		[PROCLIFE_MM_EARLY] = "early",	     [PROCLIFE_MM_TEARDOWN] = "teardown",
		[PROCLIFE_MM_GONE] = "gone",
	};

	return WHAT_TEXT(names, what, buffer);
}
