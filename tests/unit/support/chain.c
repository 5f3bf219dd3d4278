// SPDX-License-Identifier: GPL-2.0-only
#include "chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *chain_output(const char *options)
{
	struct output out = run_program(false, 0, "%s -i %s --critical-path %s", program, folder.path,
					options);

	if (out.status && out.status != 3)
		fail_msg("%s: status %d: %s", options, out.status, out.text);
	return out.text;
}

static uint64_t member(const char *line, const char *name)
{
	char key[40];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = strstr(line, key);
	if (!at)
		fail_msg("no %s in %s", name, line);
	return strtoull(at + strlen(key), NULL, 10);
}

static unsigned int ms(uint64_t ns)
{
	return (unsigned int)((ns - 1000 * MS + MS / 2) / MS);
}

void expect_chain(const char *options, const char *expected)
{
	char line[300], got[4000] = "", *text;
	uint64_t last = 0;

	snprintf(line, sizeof(line), "--json %s", options);
	text = chain_output(line);
	for (char *step = strtok(text, "\n"); step; step = strtok(NULL, "\n")) {
		size_t n = strlen(got);
		uint64_t from, to;

		if (!strstr(step, "\"type\":\"step\""))
			continue;
		from = member(step, "from");
		to = member(step, "to");
		/* Each step begins where the one before ends. */
		if (last && from != last)
			fail_msg("%s: a hole before %s", options, step);
		last = to;
		if (to - from < MS / 2)
			continue;
		snprintf(got + n, sizeof(got) - n, "%u %u-%u %u %.5s\n",
			 (unsigned int)member(step, "pid"), ms(from), ms(to),
			 (unsigned int)((member(step, "saves") + MS / 2) / MS),
			 strstr(step, "\"by\":\"") + 6);
	}
	free(text);
	if (strcmp(got, expected))
		fail_msg("%s:\n%sinstead of\n%s", options, got, expected);
}

void expect_text(const char *options, const char *there)
{
	char *text = chain_output(options);

	if (!strstr(text, there))
		fail_msg("%s: there is no '%s' in:\n%s", options, there, text);
	free(text);
}
