// SPDX-License-Identifier: GPL-2.0-only
/* Asks the shells themselves what they offer. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char output[1 << 16];

/* Runs this in bash after the completion script. */
static const char *bash(const char *commands)
{
	char line[1000];
	FILE *pipe;
	size_t n;

	snprintf(line, sizeof(line), "bash -uc 'source $B/completions/bash; %s'", commands);
	pipe = popen(line, "r");
	assert_non_null(pipe);
	n = fread(output, 1, sizeof(output) - 1, pipe);
	output[n] = '\0';
	assert_int_equal(pclose(pipe), 0);
	return output;
}

/* The words offered for the last of these words, with a space around each. */
static const char *offered(const char *words)
{
	char commands[500];

	snprintf(commands, sizeof(commands),
		 "COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _proclife_read; "
		 "echo \" ${COMPREPLY[*]} \"", words);
	return bash(commands);
}

static void test_bash(void **state)
{
	(void)state;
	assert_string_equal(bash("complete -p proclife-read"),
			    "complete -F _proclife_read proclife-read\n");
	assert_string_equal(offered("proclife-read --tre"), " --tree \n");
	assert_non_null(strstr(offered("proclife-read --"), " --lives --events --tree --summary --critical-path --latency "));
	assert_non_null(strstr(output, " --expect "));
	assert_null(strstr(output, "completion"));
	assert_string_equal(offered("proclife-read --expect teardown.p"),
			    " teardown.p50 teardown.p90 teardown.p99 teardown.p99.9 \n");
	assert_string_equal(offered("proclife-read --on s"), " spawn status signal \n");
	assert_string_equal(offered("proclife-read --on z"), " zombie \n");
	assert_string_equal(offered("proclife-read -i /us"), " /usr \n");
	assert_string_equal(offered("proclife-read --pid 1 --device /dev/nul"), " /dev/null \n");
	assert_non_null(strstr(offered("proclife-read -p \"\""), " 1 "));
	assert_string_equal(offered("proclife-read --depth \"\""), "  \n");
	assert_string_equal(offered("proclife-read --diff /us"), " /usr \n");
	assert_string_equal(offered("proclife-read --diff /a /us"), " /usr \n");
	assert_string_equal(offered("proclife-read --diff /a /b --fac"), " --factor \n");
	assert_string_equal(offered("proclife-read --latency --by c"), " comm cgroup cpu \n");
	assert_string_equal(offered("proclife-read --tree --show u"), " uid \n");
	assert_string_equal(offered("proclife-read --export cs"), " csv \n");
	assert_string_equal(offered("proclife-read --tracks p"), " processes \n");
	assert_string_equal(offered("proclife-read -o /us"), " /usr \n");
	assert_string_equal(offered("proclife-read --uid roo"), " root \n");
	/* The command behind -- is not ours. */
	assert_non_null(strstr(offered("proclife-read --tree -- ech"), " echo "));
	assert_string_equal(offered("proclife-read -- ls --tr"), "  \n");
}

static void test_zsh(void **state)
{
	FILE *pipe;
	size_t n;

	(void)state;
	/* zsh has to accept the function, and the specifications have to parse. */
	pipe = popen("zsh -fc 'autoload -U compinit && compinit -u -D;"
		     " zsh -n $B/completions/zsh && head -n 1 $B/completions/zsh;"
		     " _arguments() { print -rl -- \"$@\" }; source $B/completions/zsh' 2>&1",
		     "r");
	assert_non_null(pipe);
	n = fread(output, 1, sizeof(output) - 1, pipe);
	output[n] = '\0';
	assert_int_equal(pclose(pipe), 0);
	assert_int_equal(strncmp(output, "#compdef proclife-read\n", 23), 0);
	assert_non_null(strstr(output, "\n*--tree[Which process started which"));
	assert_non_null(strstr(output, "\n*-p[Only this process"));
	assert_non_null(strstr(output, "\n*--pid[Only this process"));
	assert_non_null(strstr(output, "\n*--top=[Only the N largest"));
	assert_non_null(strstr(output, "]:N\\[\\:KEY\\]:\n"));
	assert_non_null(strstr(output, ":DIR:_files -/\n"));
	assert_non_null(strstr(output, "]:A:_files -/:B:_files -/\n"));
	assert_non_null(strstr(output, "]:KEY:(comm parent reaper cgroup cpu uid)\n"));
	assert_non_null(strstr(output, "]:USER:_users\n"));
	assert_null(strstr(output, "completion"));
}

/* The installed scripts are what the program prints. */
static void test_of_program(void **state)
{
	(void)state;
	for (int zsh = 0; zsh < 2; zsh++) {
		char line[200];

		snprintf(line, sizeof(line), "$B/proclife-read --completion %1$s | cmp - $B/completions/%1$s",
			 zsh ? "zsh" : "bash");
		assert_int_equal(system(line), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_program),
		cmocka_unit_test(test_bash),
		cmocka_unit_test(test_zsh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
