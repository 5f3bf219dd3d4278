// SPDX-License-Identifier: GPL-2.0-only
/* --export compdb: which commands are calls of a compiler, and what is written of them. */
#include "exporting.h"
#include "marks.h"
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct who make;
static uint32_t next_pid;
static bool without_paths; /* as the module is loaded */

static int begin(void **state)
{
	int ret = story_setup_exiting(state);

	make = process_of_pid(100, "make");
	story_put(task_record(0, &make, &make));
	next_pid = 200;
	without_paths = false;
	return ret;
}

static void put_directory(const struct who *who, const char *directory)
{
	struct proclife_record record = { .type = PROCLIFE_NONE };

	path_record(&record, who, PROCLIFE_PATH_CWD, directory, (uint32_t)strlen(directory));
	story_put(record);
}

/* @line: its words; @directory: NULL: not recorded. */
static void execs(struct who *who, const char *path, uint32_t flags, const char *line, const char *directory)
{
	struct proclife_record record = exec_record(0, who, who->pid, path);
	char args[400];
	size_t n = strlen(line) + 1;

	record.flags |= flags;
	story_put(record);
	for (size_t i = 0; i < n; i++)
		args[i] = line[i] == ' ' ? '\0' : line[i];
	story_args(who, args, n);
	if (directory)
		put_directory(who, directory);
}

static struct who begins(const struct who *parent, const char *path, const char *line)
{
	struct who who = story_fork(parent, next_pid++, "sh");

	execs(&who, path, 0, line, "/build");
	return who;
}

/* A process that make begins, and that ends. */
static void calls(const char *path, const char *line)
{
	struct who who = begins(&make, path, line);

	story_exit(&who, &make, 0);
	story_bury(&who, &make);
}

/* @said: on standard error. */
static void expect_said(const char *text, const char *said)
{
	char line[2 * PATH_MAX + 100];

	story_end();
	if (without_paths)
		metadata_set(folder.path, "path_marks", "0");
	snprintf(line, sizeof(line), "%s -i %s --export compdb", program, folder.path);
	expect_output(false, 0, line, text);
	expect_output(true, 0, line, said);
}

static void expect(const char *text)
{
	expect_said(text, "");
}

/* As a shell that make begins calls it; what the compiler calls itself is no call. */
static void test_build(void **state)
{
	struct who cc = begins(&make, "/bin/sh", "sh -c cc"), cc1;

	(void)state;
	execs(&cc, "/usr/bin/cc", 0, "/usr/bin/cc -DX=\"1\\2\" -o dir/a.o -c ../a.c", "/build/a folder");
	cc1 = begins(&cc, "/usr/lib/gcc/cc1", "cc1 ../a.c -o a.s");
	story_exit(&cc1, &cc, 0);
	story_bury(&cc1, &cc);
	story_exit(&cc, &make, 1 << 8);
	story_bury(&cc, &make);
	calls("/usr/bin/cc", "cc -o prog dir/a.o -L. -lm");
	calls("/usr/bin/x86_64-linux-gnu-g++-12", "g++ -ofirst.o -c first.cpp second.cc -I x.c");
	calls("/usr/bin/ar", "ar rc lib.a a.c");
	expect("[\n{\"directory\":\"/build/a folder\",\"arguments\":[\"/usr/bin/cc\",\"-DX=\\\"1\\\\2\\\"\",\"-o\",\"dir/a.o\",\"-c\",\"../a.c\"],"
	       "\"file\":\"../a.c\",\"output\":\"dir/a.o\"},\n"
	       "{\"directory\":\"/build\",\"arguments\":[\"g++\",\"-ofirst.o\",\"-c\",\"first.cpp\",\"second.cc\",\"-I\",\"x.c\"],"
	       "\"file\":\"first.cpp\",\"output\":\"first.o\"},\n"
	       "{\"directory\":\"/build\",\"arguments\":[\"g++\",\"-ofirst.o\",\"-c\",\"first.cpp\",\"second.cc\",\"-I\",\"x.c\"],"
	       "\"file\":\"second.cc\",\"output\":\"first.o\"}\n]\n");
}

static void test_none(void **state)
{
	(void)state;
	calls("/usr/bin/clang-format", "clang-format a.c");
	calls("/usr/bin/clang-tidy-15", "clang-tidy a.c");
	calls("/usr/bin/cc1", "cc1 a.c");
	calls("/usr/bin/gcc-ar-12", "gcc-ar a.c");
	calls("/usr/bin/gcc", "gcc -E a.c");
	calls("/usr/bin/gcc", "gcc -MM a.c");
	calls("/usr/bin/gcc", "gcc --version");
	calls("/usr/bin/gcc", "gcc -x c -");
	calls("/usr/bin/gcc", "gcc -include a.c b.o");
	calls("/usr/bin/ccache", "ccache --show-stats a.c");
	calls("/usr/bin/ccache", "ccache");
	expect("[]\n");
}

static void test_language(void **state)
{
	(void)state;
	calls("/usr/bin/c99", "c99 -c -x c table.inc -x none other.inc");
	calls("/usr/bin/clang-15", "clang -c -xc++ table");
	expect("[\n{\"directory\":\"/build\",\"arguments\":[\"c99\",\"-c\",\"-x\",\"c\",\"table.inc\",\"-x\",\"none\",\"other.inc\"],"
	       "\"file\":\"table.inc\"},\n"
	       "{\"directory\":\"/build\",\"arguments\":[\"clang\",\"-c\",\"-xc++\",\"table\"],\"file\":\"table\"}\n]\n");
}

/* GCC's long spellings, and options of clang that take the next word. */
static void test_spellings(void **state)
{
	(void)state;
	calls("/usr/bin/gcc", "gcc --sysroot /a.c -c -xc noext --output out.c");
	calls("/usr/bin/gcc", "gcc --compile --include-directory=x.c a.c --output=zz.o --language none b.c -imultiarch m.c");
	calls("/usr/bin/gcc", "gcc --preprocess a.c");
	calls("/usr/bin/gcc", "gcc --user-dependencies a.c");
	calls("/usr/bin/clang", "clang -MJ a.c -Xarch_host b.c -c -- -c.c");
	expect("[\n{\"directory\":\"/build\",\"arguments\":[\"gcc\",\"--sysroot\",\"/a.c\",\"-c\",\"-xc\",\"noext\",\"--output\","
	       "\"out.c\"],\"file\":\"noext\",\"output\":\"out.c\"},\n"
	       "{\"directory\":\"/build\",\"arguments\":[\"gcc\",\"--compile\",\"--include-directory=x.c\",\"a.c\",\"--output=zz.o\","
	       "\"--language\",\"none\",\"b.c\",\"-imultiarch\",\"m.c\"],\"file\":\"a.c\",\"output\":\"zz.o\"},\n"
	       "{\"directory\":\"/build\",\"arguments\":[\"gcc\",\"--compile\",\"--include-directory=x.c\",\"a.c\",\"--output=zz.o\","
	       "\"--language\",\"none\",\"b.c\",\"-imultiarch\",\"m.c\"],\"file\":\"b.c\",\"output\":\"zz.o\"},\n"
	       "{\"directory\":\"/build\",\"arguments\":[\"clang\",\"-MJ\",\"a.c\",\"-Xarch_host\",\"b.c\",\"-c\",\"--\",\"-c.c\"],"
	       "\"file\":\"-c.c\"}\n]\n");
}

/* ccache, in front of the compiler or in its place, preprocesses and compiles; a script calls what it stands for. */
static void test_wrappers(void **state)
{
	struct who ccache = begins(&make, "/usr/bin/ccache", "ccache gcc -c b.c"), gcc, sh;

	(void)state;
	gcc = begins(&ccache, "/usr/bin/gcc", "/usr/bin/gcc -c b.c");
	sh = begins(&gcc, "/bin/sh", "sh -c as");
	execs(&sh, "/usr/bin/gcc", 0, "gcc -c inner.s", "/build");
	story_exit(&sh, &gcc, 0);
	story_bury(&sh, &gcc);
	story_exit(&gcc, &ccache, 0);
	story_bury(&gcc, &ccache);
	story_exit(&ccache, &make, 0);
	story_bury(&ccache, &make);
	ccache = begins(&make, "/usr/lib/ccache/g++", "g++ -c c.cc");
	gcc = begins(&ccache, "/usr/bin/g++", "/usr/bin/g++ -c c.cc");
	story_exit(&ccache, &make, 0); /* it does not matter which one ends first */
	story_bury(&ccache, &make);
	story_exit(&gcc, &ccache, 0);
	story_bury(&gcc, &ccache);
	sh = story_fork(&make, next_pid++, "sh");
	execs(&sh, "/opt/cross-cc", PROCLIFE_F_SCRIPT, "/bin/sh /opt/cross-cc -c d.c", "/build");
	story_exit(&sh, &make, 0);
	story_bury(&sh, &make);
	expect("[\n{\"directory\":\"/build\",\"arguments\":[\"gcc\",\"-c\",\"b.c\"],\"file\":\"b.c\"},\n"
	       "{\"directory\":\"/build\",\"arguments\":[\"g++\",\"-c\",\"c.cc\"],\"file\":\"c.cc\"},\n"
	       "{\"directory\":\"/build\",\"arguments\":[\"/opt/cross-cc\",\"-c\",\"d.c\"],\"file\":\"d.c\"}\n]\n");
}

/* What is not whole is not written as if it were, and said. */
static void test_missing(void **state)
{
	struct who who = story_fork(&make, 300, "cc"), other = story_fork(&make, 301, "cc"), third,
		   fourth = story_fork(&make, 302, "cc"), fifth = story_fork(&make, 303, "cc");
	struct proclife_record record;

	(void)state;
	without_paths = true;
	story_put(exec_record(0, &who, who.pid, "/usr/bin/cc"));
	record = record_of(0, PROCLIFE_ARGS, &who);
	record.args.total = 300;
	record.args.len = 10;
	memcpy(record.args.text, "cc\0-c\0a.c\0", 10);
	record.flags |= PROCLIFE_F_TRUNCATED;
	story_put(record);
	put_directory(&who, "/build");
	execs(&other, "/usr/bin/cc", 0, "cc -c a.c", NULL);
	execs(&fourth, "/usr/bin/cc", 0, "cc -c a.c", "/build/\xff");
	execs(&fifth, "/usr/bin/cc", 0, "cc -c a.c", "/build/gone (deleted)");
	calls("/usr/bin/cc", "cc @all.rsp");
	calls("/usr/bin/cc", "cc -E @all.rsp");
	third = begins(&make, "/usr/bin/cc", "cc -c \xff.c");
	story_exit(&third, &make, 0);
	calls("/usr/bin/cc", "cc @flags.rsp -c b.c");
	expect_said("[\n{\"directory\":\"/build\",\"arguments\":[\"cc\",\"@flags.rsp\",\"-c\",\"b.c\"],\"file\":\"b.c\"}\n]\n",
	       "proclife-read: --export compdb: 1 command of a compiler left out: not all of its arguments were recorded; "
	       "load the module with args_bytes=8192, or take --source=bpf,args_bytes=8192\n"
	       "proclife-read: --export compdb: 1 call left out: its directory was not recorded; "
	       "load the module with paths=Y, or take --source=bpf,paths\n"
	       "proclife-read: --export compdb: 1 call left out: its directory was removed\n"
	       "proclife-read: --export compdb: 1 call left out: its arguments are in a file that it names behind '@'\n"
	       "proclife-read: --export compdb: 2 calls left out: they have bytes that are not UTF-8\n");
}

/* With `paths`, it was not for want of that. */
static void test_too_far(void **state)
{
	struct who who = story_fork(&make, 300, "cc");

	(void)state;
	execs(&who, "/usr/bin/cc", 0, "cc -c a.c", NULL);
	expect_said("[]\n", "proclife-read: --export compdb: 1 call left out: its directory has 4,096 bytes or more, or was lost\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, story_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_build), TEST(test_none), TEST(test_language), TEST(test_spellings), TEST(test_wrappers),
		TEST(test_missing), TEST(test_too_far),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
