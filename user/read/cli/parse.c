// SPDX-License-Identifier: GPL-2.0-only
#include "cli/parse.h"
#include "output/format.h"
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool parse_decimal(const char *s, char **end, double *value)
{
	*value = strtod(s, end);
	return (isdigit((unsigned char)*s) || *s == '.') && *end == s + strspn(s, "0123456789.");
}

static bool round_to(double value, uint64_t *whole)
{
	bool fits = value < 9e18;

	*whole = fits ? (uint64_t)value : UINT64_MAX;
	return fits;
}

bool parse_time(const char *s, enum bare bare, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "ns", 1 },  { "us", 1e3 },	{ "ms", 1e6 },	{ "s", 1e9 },
		{ "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 }, { "", 1e9 },
	};
	size_t count = sizeof(units) / sizeof(units[0]) - (bare == BARE_REFUSED), i = 0;
	double value;
	char *end;

	*ns = 0;
	if (!parse_decimal(s, &end, &value))
		return false;
	while (i < count && strcmp(end, units[i].name))
		i++;
	return i < count && round_to(value * units[i].ns + 0.5, ns);
}

bool parse_size(const char *s, uint64_t *bytes)
{
	static const char letters[] = "KMGT";
	const char *letter;
	double value;
	char *end;

	*bytes = 0;
	if (!parse_decimal(s, &end, &value) || !*end)
		return false;
	letter = strchr(letters, *end);
	if (!letter || (end[1] && strcmp(end + 1, "iB") && strcmp(end + 1, "B")))
		return false;
	return round_to(value * (double)(1ULL << 10 * (letter - letters + 1)), bytes);
}

bool parse_number(const char *s, uint64_t max, uint64_t *value)
{
	bool fits;

	*value = 0;
	if (!*s || strspn(s, "0123456789") != strlen(s))
		return false;
	errno = 0;
	*value = strtoull(s, NULL, 10);
	fits = !errno && *value <= max;
	if (!fits)
		*value = UINT64_MAX;
	return fits;
}

/* "SIGRTMIN", "RTMAX-2", as kill(1) has them; 0: none of these. */
static uint64_t parse_realtime(const char *s)
{
	const uint64_t most = (uint64_t)(SIGRTMAX - SIGRTMIN);
	uint64_t offset = 0;
	bool from_min;

	s += strncasecmp(s, "SIG", 3) ? 0 : 3;
	from_min = !strncasecmp(s, "RTMIN", 5);
	if (!from_min && strncasecmp(s, "RTMAX", 5))
		return 0;
	s += 5;
	if (*s && (*s != (from_min ? '+' : '-') || !parse_number(s + 1, most, &offset)))
		return 0;
	return from_min ? (uint64_t)SIGRTMIN + offset : (uint64_t)SIGRTMAX - offset;
}

bool parse_signal(const char *s, unsigned int *signal)
{
	uint64_t number;
	char buffer[24];

	if (!parse_number(s, 64, &number))
		number = parse_realtime(s);
	else if (!number)
		return false;
	if (!number) {
		for (number = 64; number; number--) {
			const char *name = signal_name((int)number, buffer);

			if (!strcasecmp(s, name) || !strcasecmp(s, name + 3))
				break;
		}
	}
	*signal = (unsigned int)number;
	return number;
}
