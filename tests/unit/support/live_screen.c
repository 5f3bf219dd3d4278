// SPDX-License-Identifier: GPL-2.0-only
#include "live_device.h"
#include "live_screen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool live_in_place;

/* Without a shell of its own, which would repair the terminal: saves its state before and after. */
static void write_script(const char *options)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%.*s/script", PATH_MAX / 2, folder.base);
	file = fopen(path, "w");
	assert_non_null(file);
	if (live_in_place)
		fprintf(file, "exec %s --live %s\n", program, options);
	else
		fprintf(file, "cd %s\nrm -f after\nstty -g >before\n%s --live %s\nset end $?\nstty -g >after\n"
			"echo $*\n", folder.base, program, options);
	fclose(file);
}

void live_begin(unsigned int columns, unsigned int rows, const char *locale, const char *options)
{
	terminal_next();
	DO("new-session -d -x %u -y %u 'env PS1=ready: LC_ALL=%s TERM=screen bash --norc --noprofile'", columns, rows,
	   locale);
	SEE("ready:");
	write_script(options);
	DO("send-keys 'clear; sh %s/script' Enter", folder.base);
}

void expect_screen_left(void)
{
	char *state = ask("display -p 'alternate #{alternate_on} cursor #{cursor_flag} keypad #{keypad_cursor_flag}'");

	assert_string_equal(state, "alternate 0 cursor 1 keypad 0\n");
	free(state);
}

void expect_clean(void)
{
	DO("send-keys 'cmp %s/after %s/before && echo same' Enter", folder.base, folder.base);
	SEE("\nsame");
	expect_screen_left();
}

int live_screen_teardown(void **state)
{
	terminal_end();
	unsetenv("TZ");
	return story_teardown(state);
}

int live_device_teardown(void **state)
{
	terminal_end();
	return live_teardown(state);
}

static void tell_life(uint32_t pid, const char *comm, const struct who *parent, int32_t code, uint64_t ms)
{
	struct who who = story_fork(parent, pid, comm);

	story_put(exec_record(0, &who, pid, comm));
	machine->now += ms * MS;
	story_die(&who, parent, code, ms * MS / 2, pid);
	story_bury(&who, parent);
}

void live_tell(void)
{
	struct who init = process_of_pid(1, "init"), sh = process_of_pid(50, "sh"), zombie;
	uint32_t i;

	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &sh, &init));
	zombie = story_fork(&sh, 60, "undead");
	story_exit(&zombie, &sh, 0);
	tell_life(70, HOSTILE, &sh, 0, 10);
	tell_life(71, "failing", &sh, 3 << 8, 20);
	tell_life(72, "killed", &sh, SIGKILL, 500);
	for (i = 0; i < 100; i++)
		tell_life(1000 + i, i % 2 ? "odd" : "even", &sh, 0, 5);
	story_at(9000);
	tell_life(90, "last", &sh, 0, 1);
	story_end();
}

void live_at_end(unsigned int columns, unsigned int rows, const char *locale)
{
	char options[PATH_MAX + 16];

	snprintf(options, sizeof(options), "-i %s", folder.path);
	live_begin(columns, rows, locale, options);
	SEE(rows < 6 || columns < 40 ? "Too small" : "playing");
	press("t 100% Enter");
}
