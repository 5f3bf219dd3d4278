// SPDX-License-Identifier: GPL-2.0-only
#include "tree_story.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct who story_init, story_shell;
static uint32_t next_pid;

int tree_setup(void **state)
{
	next_pid = 100;
	story_init = process_of_pid(1, "init");
	unsetenv("COLUMNS");
	return story_setup(state);
}

/* A space ends an argument, a tilde is a space in it. */
static void put_args(const struct who *who, const char *line)
{
	char args[4096];
	uint32_t total = (uint32_t)strlen(line) + 1;

	memcpy(args, line, total);
	for (uint32_t i = 0; i < total; i++)
		args[i] = args[i] == ' ' ? '\0' : args[i] == '~' ? ' ' : args[i];
	story_args(who, args, total);
}

struct who start(const struct who *parent, const char *comm, const char *path,
			const char *line)
{
	struct who who = process_of_pid(next_pid++, parent->comm);

	story_put(fork_record(0, &who, parent));
	who.comm = comm;
	if (path)
		story_put(exec_record(0, &who, who.pid, path));
	if (line)
		put_args(&who, line);
	return who;
}

void quit(const struct who *who, const struct who *parent, uint32_t after, uint32_t cpu,
		 int32_t code)
{
	struct proclife_record record = exit_record(0, who, code, 0);

	machine->now += after * MS;
	record.exit.runtime = cpu * MS;
	record.exit.max_rss = 1024;
	story_put(record);
	story_put(reap_record(0, who, parent));
	record = free_record(0, who);
	record.free.runtime = cpu * MS;
	story_put(record);
}

void run(const struct who *parent, const char *comm, const char *path, const char *line,
		uint32_t after, int32_t code)
{
	struct who who = start(parent, comm, path, line);

	quit(&who, parent, after, 1, code);
}

struct output tree(const char *options)
{
	struct output out = run_program(false, 0, "%s -i %s --tree %s", program, folder.path,
					options);

	assert_int_equal(out.status, 0);
	return out;
}

void expect_rows(const char *options, const char *text)
{
	struct output out = tree(options);
	char *head = strchr(out.text, '\n'), *to = strstr(out.text, "\n\n"), *from;

	if (!head || !to || strncmp(head, "\n    100 ", 9))
		fail_msg("%s", out.text);
	from = strchr(head + 1, '\n') + 1;
	to[1] = '\0';
	if (strcmp(from, text))
		fail_msg("--tree %s:\n%s\ninstead of:\n%s", options, from, text);
	free(out.text);
}

void expect_part(const char *options, const char *text)
{
	struct output out = tree(options);

	if (!strstr(out.text, text))
		fail_msg("--tree %s:\n%s\nwithout:\n%s", options, out.text, text);
	free(out.text);
}

static uint64_t number_at(const char *s)
{
	uint64_t n = 0;

	for (; (*s >= '0' && *s <= '9') || *s == ','; s++)
		n = *s == ',' ? n : n * 10 + (uint64_t)(*s - '0');
	return n;
}

uint64_t numbers_before(const char *line, const char *word)
{
	const char *at = line;
	uint64_t sum = 0;

	while ((at = strstr(at, word))) {
		const char *from = at;

		while (from > line && strchr("0123456789,", from[-1]))
			from--;
		sum += number_at(from);
		at++;
	}
	return sum;
}

static struct sum add_up(char *text)
{
	struct sum sum = { 0 };

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *at = line + strspn(line, " ");
		uint64_t count = *at == 'x' ? number_at(at + 1) : 1;

		sum.widest = strlen(line) > sum.widest ? strlen(line) : sum.widest;
		if (strstr(line, " wall, "))
			break;
		if (!strncmp(at, "PID", 3))
			continue;
		sum.hidden += numbers_before(line, " more below") +
			      numbers_before(line, " process below") +
			      numbers_before(line, " processes below");
		sum.failed += numbers_before(line, " failed");
		if (*at == '+') {
			sum.hidden += number_at(at + 2);
			continue;
		}
		sum.lines++;
		sum.shown += count;
		if (strstr(line, " status ") || strstr(line, " SIG"))
			sum.failed += count;
	}
	return sum;
}

struct sum expect_short(const char *options, uint64_t processes, uint64_t failed)
{
	struct output out = tree(options);
	struct sum sum = add_up(out.text);

	assert_in_range(sum.lines, 1, MOST_LINES);
	assert_int_equal(sum.shown + sum.hidden, processes);
	assert_int_equal(sum.failed, failed);
	free(out.text);
	return sum;
}

void begin_shell(void)
{
	story_shell = start(&story_init, "sh", "/bin/sh", NULL);
}
