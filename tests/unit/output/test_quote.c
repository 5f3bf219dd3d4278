// SPDX-License-Identifier: GPL-2.0-only
/* Arguments as a shell reads them back, and the words for the sender of a deadly signal. */
#include "check.h"
#include "fixture_text.h"

#include <locale.h>
#include <output/quote.h>
#include <output/unicode.h>
#include <views/share/recent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *quoted(const char *args, uint32_t bytes, bool cut, unsigned int skip)
{
	text_clear(&text);
	text_string(&text, "x");
	text_args(&text, args, bytes, cut, skip);
	return text.s;
}

#define QUOTED(args) quoted(args, sizeof(args), false, 0)

static void test_forms(void **state)
{
	(void)state;
	assert_string_equal(QUOTED("make\0-j4\0all"), "xmake -j4 all");
	assert_string_equal(QUOTED("sh\0-c\0exit 3; true"), "xsh -c 'exit 3; true'");
	assert_string_equal(QUOTED("\0"), "x'' ''");
	assert_string_equal(QUOTED("$HOME\0*\0a\"b"), "x'$HOME' '*' 'a\"b'");
	assert_string_equal(QUOTED("it's"), "x$'it\\'s'");
	assert_string_equal(QUOTED("a\nb\\c"), "x$'a\\nb\\\\c'");
	assert_string_equal(QUOTED("\xff\xfe"), "x$'\\xff\\xfe'");
	assert_string_equal(QUOTED("\x1b[31m"), "x$'\\x1b[31m'");
	assert_string_equal(QUOTED("grün"), "x'grün'");
	assert_string_equal(quoted("ls\0-l\0/very/lo", 14, true, 0), "xls -l /very/lo…");
	assert_string_equal(quoted("ls\0-l", 6, false, 1), "x -l");
	assert_string_equal(quoted("", 0, false, 0), "x");
	assert_string_equal(quoted("", 0, true, 0), "x…");
}

static size_t length_of(const char *s)
{
	return utf8_length((const unsigned char *)s, strlen(s));
}

/* How many bytes a character has; 0 if it is none. */
static void test_characters(void **state)
{
	(void)state;
	assert_int_equal(length_of("a"), 1);
	assert_int_equal(length_of("\xc3\xbc"), 2);
	assert_int_equal(length_of("\xe2\x82\xac..."), 3);
	assert_int_equal(length_of("\xf0\x9f\x98\x80"), 4);
	assert_int_equal(length_of("\xc3"), 0);
	assert_int_equal(length_of("\xe2\x82"), 0);
	assert_int_equal(length_of("\xc3."), 0);
	assert_int_equal(length_of("\xc3\xc0"), 0);
	assert_int_equal(length_of("\xe2.\x82"), 0);
	assert_int_equal(length_of("\xe2\x82."), 0);
	assert_int_equal(length_of("\x80"), 0);
	/* Overlong; half of a UTF-16 pair; beyond the last character. */
	assert_int_equal(length_of("\xc1\xbf"), 0);
	assert_int_equal(length_of("\xe0\x9f\xbf"), 0);
	assert_int_equal(length_of("\xe0\xa0\x80"), 3);
	assert_int_equal(length_of("\xed\x9f\xbf"), 3);
	assert_int_equal(length_of("\xed\xa0\x80"), 0);
	assert_int_equal(length_of("\xf0\x8f\xbf\xbf"), 0);
	assert_int_equal(length_of("\xf0\x90\x80\x80"), 4);
	assert_int_equal(length_of("\xf4\x8f\xbf\xbf"), 4);
	assert_int_equal(length_of("\xf4\x90\x80\x80"), 0);
	assert_int_equal(length_of("\xf5\x80\x80\x80"), 0);
}

/* Bash reads back every argument unchanged. */
static void test_a_shell_reads_it_back(void **state)
{
	char args[1000], got[1000], command[6000];
	unsigned int seed = 7;

	(void)state;
	for (unsigned int round = 0; round < 50; round++) {
		size_t bytes = 1 + (size_t)rand_r(&seed) % 200, n;
		FILE *pipe;

		for (size_t i = 0; i < bytes; i++)
			args[i] = (char)(rand_r(&seed) % (round % 2 ? 256 : 128));
		args[bytes - 1] = '\0';
		quoted(args, (uint32_t)bytes, false, 0);
		/* Bash's printf prints the words one by one, each with a NUL. */
		snprintf(command, sizeof(command), "%s", text.s + 1);
		assert_int_equal(setenv("WORDS", command, 1), 0);
		pipe = popen("bash -c 'eval \"printf %s\\\\\\\\0 $WORDS\"'", "r");
		assert_non_null(pipe);
		n = fread(got, 1, sizeof(got), pipe);
		assert_int_equal(pclose(pipe), 0);
		if (n != bytes || memcmp(got, args, n))
			fail_msg("round %u: not what it was: %s", round, command);
	}
}

static const char *killed(int signo, int code, uint64_t task, uint32_t tgid)
{
	struct proclife_killer killer = {
		.signo = signo, .code = code, .task = task, .pid = tgid, .tgid = tgid,
		.comm = "bash", .named = true,
	};

	text_clear(&text);
	text_string(&text, "");
	text_killer(&text, &killer, 500, NULL);
	return text.s;
}

/* Killed by the kernel, for this reason, in the context of bash (400). */
static const char *caused(enum proclife_cause cause, uint32_t flags, uint32_t tgid, uint64_t cgroup)
{
	struct proclife_killer killer = {
		.signo = SIGKILL, .code = SI_KERNEL, .task = 1, .pid = tgid, .tgid = tgid, .comm = "bash",
		.named = true, .cause = cause, .flags = flags, .oom_cgroup = cgroup,
		.oom_scope = cgroup ? PROCLIFE_OOM_CGROUP : PROCLIFE_OOM_GLOBAL,
	};

	text_clear(&text);
	text_string(&text, "");
	text_killer(&text, &killer, 500, NULL);
	return text.s;
}

static void test_causes(void **state)
{
	(void)state;
	assert_string_equal(caused(PROCLIFE_BY_PARENT_END, PROCLIFE_F_EXITING | PROCLIFE_F_GROUP_DEAD, 400, 0),
			    ", parent-death signal: its parent bash (400) had ended");
	assert_string_equal(caused(PROCLIFE_BY_PARENT_END, PROCLIFE_F_EXITING, 400, 0),
			    ", parent-death signal: a thread of its parent bash (400) had ended");
	assert_string_equal(caused(PROCLIFE_BY_NAMESPACE_END, PROCLIFE_F_EXITING, 400, 0),
			    " from the kernel: the init of its pid namespace, bash (400), had ended");
	assert_string_equal(caused(PROCLIFE_BY_TRACER_END, PROCLIFE_F_EXITING, 400, 0),
			    " from the kernel: its tracer bash (400) had ended");
	assert_string_equal(caused(PROCLIFE_BY_TERMINAL, PROCLIFE_F_KTHREAD, 400, 0), " from the terminal");
	assert_string_equal(caused(PROCLIFE_BY_TERMINAL, 0, 500, 0), " from the terminal");
	assert_string_equal(caused(PROCLIFE_BY_TERMINAL, 0, 400, 0), " from the terminal, by bash (400)");
	assert_string_equal(caused(PROCLIFE_BY_OOM, 0, 500, 0), " from the OOM killer");
	assert_string_equal(caused(PROCLIFE_BY_OOM, 0, 400, 0), " from the OOM killer, for bash (400)");
	assert_string_equal(caused(PROCLIFE_BY_OOM, 0, 400, 77), " from the OOM killer of cgroup 77, for bash (400)");
	assert_string_equal(caused(PROCLIFE_BY_ITSELF, PROCLIFE_F_EXITING, 400, 0),
			    " from the kernel, as bash (400) ended");
}

/* A thread's name is never shown as its process's. */
static void test_threads_have_names(void **state)
{
	struct proclife_killer killer = {
		.signo = SIGKILL, .code = SI_USER, .task = 1, .pid = 401, .tgid = 400, .comm = "watchdog-thr",
	};

	(void)state;
	text_clear(&text);
	text_string(&text, "");
	text_killer(&text, &killer, 500, NULL);
	assert_string_equal(text.s, " from thread watchdog-thr of (400)");
}

static const char *typed(const char *path, const char *args, size_t bytes, bool script)
{
	const struct command command = {
		.path = path, .args = args, .bytes = (uint32_t)bytes, .script = script,
	};

	text_clear(&text);
	text_string(&text, "");
	text_command(&text, &command);
	text_args(&text, command.args, command.bytes, false, command_skip(&command));
	return text.s;
}

#define TYPED(path, args, script) typed(path, args, sizeof(args), script)

/* The typed and the executed program, if these differ. */
static void test_commands(void **state)
{
	(void)state;
	assert_string_equal(TYPED("/usr/bin/make", "make\0all", false), "make all");
	assert_string_equal(TYPED("/usr/bin/make", "/usr/bin/make\0all", false), "make all");
	assert_string_equal(TYPED("/usr/bin/sleep", "nightly-backup\0" "3", false), "nightly-backup [sleep] 3");
	assert_string_equal(TYPED("/usr/bin/sleep", "sleeping", false), "sleeping [sleep]");
	assert_string_equal(TYPED("/bin/bash", "-bash", false), "-bash");
	assert_string_equal(TYPED("/bin/bash", "-sh", false), "-sh [bash]");
	assert_string_equal(TYPED("/bin/true", "", false), "true");
	assert_string_equal(TYPED("./deploy.sh", "/bin/bash\0./deploy.sh\0x", true), "deploy.sh [bash] x");
	assert_string_equal(TYPED("./deploy.sh", "/bin/bash\0-e\0./deploy.sh\0x", true), "deploy.sh [bash -e] x");
	assert_string_equal(TYPED("./outer", "/bin/sh\0/opt/inner\0./outer\0x", true), "outer [sh /opt/inner] x");
	/* Its arguments are cut before its own name. */
	assert_string_equal(TYPED("./deploy.sh", "/bin/bash\0-e", true), "deploy.sh [bash] -e");
	/* Its path is cut. */
	assert_string_equal(TYPED("...5678901234567890123456789012345678901234567/x.sh",
				  "/bin/sh\0/012345678901234567890123456789012345678901234567/x.sh\0y", true),
			    "x.sh [sh] y");
}

static void test_killers(void **state)
{
	(void)state;
	assert_string_equal(killed(SIGKILL, SI_USER, 1, 400), " from bash (400)");
	assert_string_equal(killed(SIGTERM, SI_TKILL, 1, 400), " from bash (400)");
	assert_string_equal(killed(SIGABRT, SI_TKILL, 1, 500), " from itself");
	assert_string_equal(killed(SIGSEGV, SEGV_MAPERR, 1, 500), "");
	assert_string_equal(killed(SIGSEGV, SI_USER, 1, 400), " from bash (400)");
	assert_string_equal(killed(SIGKILL, SI_KERNEL, 1, 500), " from the kernel");
	assert_string_equal(killed(SIGKILL, SI_KERNEL, 1, 400), " from the kernel in bash (400)");
	assert_string_equal(killed(SIGALRM, SI_KERNEL, 0, 0), " from the kernel");
}

static struct recent recent;

static void expect_recent(const char *comm, const char *args, size_t bytes, const char *expected)
{
	const struct command command = { .path = comm, .args = args, .bytes = (uint32_t)bytes };
	char name[PROCLIFE_COMM_LEN] = "";

	strncpy(name, comm, sizeof(name) - 1);
	text_clear(&text);
	text_string(&text, "");
	recent_put_args(&recent, &text, name, &command, 0);
	if (strcmp(text.s, expected))
		fail_msg("'%s' instead of '%s'", text.s, expected);
}

#define RECENT(comm, args, expected) expect_recent(comm, args, sizeof(args), expected)

static void test_recent(void **state)
{
	(void)state;
	memset(&recent, 0, sizeof(recent));
	RECENT("cc", "cc\0-c\0-O2\0a.c", " -c -O2 a.c");
	RECENT("cc", "cc\0-c\0-O2\0b.c", " ~ b.c");
	RECENT("cc", "cc\0-g\0-c\0-O2\0c d.c\0-c", " -g ~ 'c d.c' ~");
	/* The same again, and words that another program had. */
	RECENT("cc", "cc\0-g\0-c\0-O2\0c d.c\0-c", " -g -c -O2 'c d.c' -c");
	RECENT("ld", "ld\0-g\0c d.c", " -g 'c d.c'");
	RECENT("cc", "cc\0-g\0e.c", " ~ e.c");
	/* Words are compared as a whole. */
	RECENT("cc", "cc\0-\0e.cc", " - e.cc");
	/* Enough others that it is forgotten. */
	for (unsigned int i = 0; i < 70; i++) {
		char comm[PROCLIFE_COMM_LEN];

		snprintf(comm, sizeof(comm), "other%u", i);
		RECENT(comm, "o\0x", " x");
	}
	RECENT("cc", "cc\0-\0e.cc", " - e.cc");
	recent_free(&recent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_characters),
		cmocka_unit_test_setup_teardown(test_forms, begin_utf8, end_text),
		cmocka_unit_test_setup_teardown(test_recent, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_a_shell_reads_it_back, begin_utf8, end_text),
		cmocka_unit_test_setup_teardown(test_killers, begin_utf8, end_text),
		cmocka_unit_test_setup_teardown(test_causes, begin_utf8, end_text),
		cmocka_unit_test_setup_teardown(test_threads_have_names, begin_utf8, end_text),
		cmocka_unit_test_setup_teardown(test_commands, begin_utf8, end_text),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
