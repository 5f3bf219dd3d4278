// SPDX-License-Identifier: GPL-2.0-only
#include "cli/moment.h"
#include "cli/parse.h"
#include <ctype.h>
#include <string.h>

#define SECOND 1000000000ULL

/* Takes exactly this many digits. */
static bool take_digits(const char **s, unsigned int digits, int *value)
{
	for (*value = 0; digits--; ++*s) {
		if (!isdigit((unsigned char)**s))
			return false;
		*value = *value * 10 + **s - '0';
	}
	return !isdigit((unsigned char)**s);
}

/* Takes a fraction of a second such as ".5", with nine digits at most, or nothing. */
static bool take_fraction(const char **s, uint64_t *ns)
{
	uint64_t unit = SECOND;

	if (**s != '.')
		return true;
	if (!isdigit((unsigned char)*++*s))
		return false;
	for (; isdigit((unsigned char)**s); ++*s) {
		unit /= 10;
		if (!unit)
			return false;
		*ns += (uint64_t)(**s - '0') * unit;
	}
	return true;
}

/* "14:03", "14:03:22", "14:03:22.5", to the end of @s */
static bool parse_of_day(const char *s, uint64_t *ns)
{
	int hour, minute, second = 0;

	if (!take_digits(&s, isdigit((unsigned char)s[0]) && s[1] == ':' ? 1 : 2, &hour) ||
	    *s++ != ':' || !take_digits(&s, 2, &minute))
		return false;
	*ns = 0;
	if (*s == ':') {
		s++;
		if (!take_digits(&s, 2, &second) || !take_fraction(&s, ns))
			return false;
	}
	*ns += (uint64_t)(hour * 3600 + minute * 60 + second) * SECOND;
	return !*s && hour < 24 && minute < 60 && second < 60;
}

static int days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

/* "2026-11-22", optionally with a time of day after a space or a T. */
static bool parse_of_date(const char *s, struct moment *moment)
{
	if (!take_digits(&s, 4, &moment->year) || *s++ != '-' ||
	    !take_digits(&s, 2, &moment->month) || *s++ != '-' ||
	    !take_digits(&s, 2, &moment->day) || moment->month < 1 || moment->month > 12 ||
	    moment->day < 1 || moment->day > days_of(moment->year, moment->month) ||
	    moment->year < 1970 || moment->year > 2261) /* nanoseconds do not reach beyond that */
		return false;
	moment->ns = 0;
	return !*s || ((*s == ' ' || *s == 'T') && parse_of_day(s + 1, &moment->ns));
}

static bool parse_monotonic(const char *s, uint64_t *ns)
{
	uint64_t seconds = 0;
	size_t digits = strspn(s, "0123456789");
	size_t i;

	if (!digits || digits > 9)
		return false;
	for (i = 0; i < digits; i++)
		seconds = seconds * 10 + (uint64_t)(s[i] - '0');
	s += digits;
	*ns = 0;
	if (!take_fraction(&s, ns) || *s)
		return false;
	*ns += seconds * SECOND;
	return true;
}

bool moment_parse(const char *s, struct moment *moment)
{
	memset(moment, 0, sizeof(*moment));
	moment->text = s;
	if (*s == '+' || *s == '-') {
		moment->kind = *s == '+' ? MOMENT_AFTER_BEGIN : MOMENT_BEFORE_END;
		return parse_time(s + 1, BARE_SECONDS, &moment->ns);
	}
	moment->kind = strchr(s, ':') ? MOMENT_OF_DAY : MOMENT_MONOTONIC;
	if (strlen(s) >= 10 && s[4] == '-')
		moment->kind = MOMENT_OF_DATE;
	return moment->kind == MOMENT_OF_DATE ? parse_of_date(s, moment) :
	       moment->kind == MOMENT_OF_DAY  ? parse_of_day(s, &moment->ns) :
						parse_monotonic(s, &moment->ns);
}
