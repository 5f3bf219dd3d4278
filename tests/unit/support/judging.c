// SPDX-License-Identifier: GPL-2.0-only
#include "judging.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define FIXTURES SOURCE "/tests/unit/fixtures/judge/"

const struct forest truth_head = {
	.magic = FOREST_MAGIC, .room = TRUTH_SLOTS, .used = TRUTH_SLOTS,
	.orphans = 1, .orphans_ended = 1, .began = 99950 * MS, .ended = 102800 * MS,
	.to_realtime = REALTIME, .complete = 1, .fd = 3,
};

const struct forest_process truth[TRUTH_SLOTS] = {
	{},
	{ 100000 * MS, 100001 * MS, 300, 250, 0, 250, 0, 0, 0, 0, "root" },
	{ 100010 * MS, 100011 * MS, 301, 300, 1, 300, 0, 0, 0, 0, "loop 0" },
	{ 100020 * MS, 100021 * MS, 302, 301, 2, 301, 7 << 8, 1, 0, 77, "cc1" },
	{ 100030 * MS, 100031 * MS, 303, 301, 2, 301, 9, 0, 0, 0, "loop 0" },
	{ 100040 * MS, 100041 * MS, 304, 301, 2, 301, 0, 0, 0, 0, "middle" },
	{ 100050 * MS, 100051 * MS, 305, 304, 5, 1, 42 << 8, 0, 1, 0, "daemon" },
	{ 102500 * MS, 102501 * MS, 302, 301, 2, 301, 0, 0, 0, 0, "batch 12" },
};

static char folder[] = "/tmp/test-judge.XXXXXX";
static char judge[PATH_MAX];

FILE *make_file(const char *name)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	return file;
}

void make_truth(const char *name, const struct forest *head, const struct forest_process *slots)
{
	FILE *file = make_file(name);

	fwrite(head, sizeof(*head), 1, file);
	fwrite(slots, sizeof(*slots), head->room, file);
	assert_int_equal(fclose(file), 0);
}

void tell_text(const char *text)
{
	FILE *file = make_file("told");

	fputs(text, file);
	fclose(file);
}

int judge_set_up(void **state)
{
	char own[PATH_MAX] = "";

	(void)state;
	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0 || !mkdtemp(folder))
		return -1;
	snprintf(judge, sizeof(judge), "%s/tests/bench/exact/judge", dirname(dirname(dirname(own))));
	make_truth("truth", &truth_head, truth);
	return 0;
}

int judge_tear_down(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

char *run_judge(const char *args, int status)
{
	char command[3 * PATH_MAX];
	static char text[8192];
	size_t n = 0;
	FILE *out;
	int c, ended;

	snprintf(command, sizeof(command), "cd %s && %s %s 2>&1", folder, judge, args);
	out = popen(command, "r");
	assert_non_null(out);
	while ((c = getc(out)) != EOF && n < sizeof(text) - 1)
		if (c != ' ' || !n || (text[n - 1] != ' ' && text[n - 1] != '\n'))
			text[n++] = (char)c;
	text[n] = '\0';
	ended = pclose(out);
	if (!WIFEXITED(ended) || WEXITSTATUS(ended) != status)
		fail_msg("%s: status %#x, and it says: %s", args, ended, text);
	return text;
}

void judge_is(const char *format, const char *row)
{
	char args[PATH_MAX];
	const char *text;

	snprintf(args, sizeof(args), "--row --format %s truth told", format);
	text = run_judge(args, 0);
	if (strcmp(text, row))
		fail_msg("%s instead of:\n%s", text, row);
}

void tell(const char *fixture, const char *line, const char *instead)
{
	char path[PATH_MAX], text[1024], *at;
	unsigned int changed = 0;
	FILE *in, *out;

	snprintf(path, sizeof(path), FIXTURES "%s.txt", fixture);
	in = fopen(path, "r");
	assert_non_null(in);
	out = make_file("told");
	while (fgets(text, sizeof(text), in)) {
		at = line ? strstr(text, line) : NULL;
		if (!at) {
			fputs(text, out);
			continue;
		}
		changed++;
		if (instead)
			fprintf(out, "%.*s%s%s", (int)(at - text), text, instead, at + strlen(line));
	}
	fclose(in);
	fclose(out);
	if (line && !changed)
		fail_msg("%s: has no line with %s", fixture, line);
}
