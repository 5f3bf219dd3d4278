// SPDX-License-Identifier: GPL-2.0-only
#include "fires.h"
#include "marks.h"
#include <stdio.h>

struct who pid1, sh;

int fires_begin(void **state)
{
	int ret = story_setup_exiting(state);

	pid1 = process_of_pid(1, "init");
	story_put(task_record(0, &pid1, &pid1));
	story_at(10);
	sh = story_fork(&pid1, 100, "sh");
	return ret;
}

int fires_begin_on_three(void **state)
{
	int ret;

	story_cpus = 3;
	ret = fires_begin(state);
	story_cpus = 2;
	return ret;
}

void die(uint64_t ms, const struct who *who, const struct who *parent, int32_t code, uint64_t later)
{
	struct proclife_record r = record_of(0, PROCLIFE_EXITING, who);

	r.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	r.exiting.exit_code = code;
	story_at(ms);
	story_put(r);
	story_at(ms + later);
	story_die(who, parent, code, MS, 100);
}

void expect_of(const char *from, const char *options, int status, const char *text)
{
	char line[4 * PATH_MAX];

	story_end();
	snprintf(line, sizeof(line), "%s -i %s --monotonic %s", program, from, options);
	expect_output(false, status, line, text);
}

void expect_messages(const char *options, const char *text)
{
	char line[4 * PATH_MAX];

	story_end();
	snprintf(line, sizeof(line), "%s -i %s %s", program, folder.path, options);
	expect_output(true, 0, line, text);
}

void expect(const char *options, const char *text)
{
	expect_of(folder.path, options, 0, text);
}
