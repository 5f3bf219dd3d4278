// SPDX-License-Identifier: GPL-2.0-only
/*
 * The manual pages have exactly what exists: options, functions, fields of the ABI.
 * Their example programs work.
 */
#include "program.h"
#include "recorded.h"
#include "records.h"
#include "story.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char examples[PATH_MAX];

static char *read_source(const char *name)
{
	char path[PATH_MAX];
	size_t size = 1 << 18, n;
	char *text = malloc(size);
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", SOURCE, name);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(text);
	n = fread(text, 1, size - 1, file);
	assert_true(n < size - 1);
	text[n] = '\0';
	fclose(file);
	return text;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *word_in(const char *text, const char *word)
{
	for (const char *at = text; (at = strstr(at, word)); at++)
		if ((at == text || !is_word(at[-1])) && !is_word(at[strlen(word)]))
			return at;
	return NULL;
}

static bool has_word(const char *text, const char *word)
{
	return word_in(text, word);
}

/* The name behind the next one of these prefixes, of letters, digits, '_' and '-'; NULL: no more. */
static const char *next_name(const char *text, const char *prefix, char name[64])
{
	size_t n;

	text = strstr(text, prefix);
	if (!text)
		return NULL;
	text += strlen(prefix);
	for (n = 0; n < 63 && (is_word(text[n]) || text[n] == '-'); n++)
		name[n] = text[n];
	name[n] = '\0';
	return text;
}

static bool has_option(const char *page, const char *option)
{
	for (const char *at = page; (at = strstr(at, option)); at++) {
		char after = at[strlen(option)];

		if (!is_word(after) && after != '-')
			return true;
	}
	return false;
}

/* No page has an option that does not exist. */
static void check_no_other_options(const char *name, const char *help)
{
	char *page = read_source(name);
	char option[64], wanted[96];

	for (const char *at = page; (at = next_name(at, "Fl \\-", option));) {
		if (!option[0]) /* what precedes a command */
			continue;
		snprintf(wanted, sizeof(wanted), "--%s", option);
		if (!has_option(help, wanted))
			fail_msg("%s has %s, which there is not", name, wanted);
	}
	free(page);
}

/* Does an entry of a list begin with it? */
static bool has_entry(const char *page, const char *option)
{
	char line[256];

	while ((page = strstr(page, "\n.It Fl "))) {
		page++;
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(page, "\n"), page);
		if (has_option(line, option))
			return true;
	}
	return false;
}

static void test_options(void **state)
{
	struct output help = run_program(false, 0, "%s --help=all", program);
	char *page = read_source("user/man/proclife-read.8");
	char name[64], wanted[96];
	unsigned int count = 0, letters = 0;
	const char *at;

	(void)state;
	assert_int_equal(help.status, 0);
	/* At the beginning of a line, or after a short option. */
	for (at = help.text; (at = next_name(at, " --", name)); count++) {
		if (strncmp(at - 5, "   --", 5) && strncmp(at - 4, ", --", 4))
			continue; /* in the text of another one */
		snprintf(wanted, sizeof(wanted), "Fl \\-%s", name);
		if (!has_entry(page, wanted))
			fail_msg("proclife-read(8) has no entry for --%s", name);
		if (strncmp(at - 4, ", --", 4) || strncmp(at - 7, " -", 2))
			continue; /* it has no letter */
		snprintf(wanted, sizeof(wanted), ".It Fl %c ", at[-5]);
		if (!strstr(page, wanted))
			fail_msg("proclife-read(8) does not have -%c, --%s", at[-5], name);
		letters++;
	}
	assert_true(count > 20);
	assert_true(letters >= 8);
	check_no_other_options("user/man/proclife-read.8", help.text);
	check_no_other_options("user/man/proclife-read-json.5", help.text);
	check_no_other_options("user/man/proclife-read-export.5", help.text);
	check_no_other_options("user/man/proclife-recording.5", help.text);
	check_no_other_options("user/man/proclife-views.7", help.text);
	free(page);
	free(help.text);
}

/* Each format of --export, as the error about another one names them, is in the option's entry and has a section. */
static void test_formats(void **state)
{
	struct output error = run_program(true, 0, "%s --export xml", program);
	char *option = read_source("user/man/proclife-read.8"), *page = read_source("user/man/proclife-read-export.5");
	const char *names = strstr(error.text, "not one of ");
	char wanted[96];
	unsigned int count = 0;

	(void)state;
	assert_non_null(names);
	names += strlen("not one of ");
	for (size_t n; (n = strcspn(names, ", \n")); count++) {
		snprintf(wanted, sizeof(wanted), "\n.Cm %.*s ", (int)n, names);
		if (!strstr(option, wanted))
			fail_msg("proclife-read(8), --export: not '%.*s'", (int)n, names);
		snprintf(wanted, sizeof(wanted), "\n.Sh %.*s\n", (int)n, names);
		if (!strcasestr(page, wanted))
			fail_msg("proclife-read-export(5) has no section on '%.*s'", (int)n, names);
		names += n + strspn(names + n, ", ");
		names += !strncmp(names, "and ", 4) ? 4 : 0;
	}
	assert_true(count >= 4);
	free(option);
	free(page);
	free(error.text);
}

/* Squeezes in place: without comments, one space between words, none after a star. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		if (!strncmp(at, "/*", 2)) {
			at = strstr(at, "*/") + 1;
			*to++ = ';'; /* what follows is not the rest of something */
		} else if (!isspace((unsigned char)*at)) {
			*to++ = *at;
		} else if (to != text && to[-1] != ' ' && to[-1] != '*') {
			*to++ = ' ';
		}
	}
	*to = '\0';
}

/* The prototype in the squeezed header: "int proclife_x(...)"; empty if it is not there. */
static void declared_as(const char *header, const char *name, char prototype[512])
{
	const char *at = header, *end;

	*prototype = '\0';
	while ((at = strstr(at, name)) && (is_word(at[-1]) || at[strlen(name)] != '('))
		at++;
	if (!at)
		return;
	end = strchr(at, ';');
	while (at[-1] != ';')
		at--;
	snprintf(prototype, 512, "%.*s", (int)(end - at), at + strspn(at, " "));
	prototype[end - at - (long)strspn(at, " ")] = '\0';
}

/* The prototype in the page, from ".Ft" and ".Fn NAME". */
static void shown_as(const char *page, const char *name, char prototype[512])
{
	char entry[112];
	const char *fn, *ft;
	unsigned int arguments = 0;
	size_t n;

	*prototype = '\0';
	snprintf(entry, sizeof(entry), "\n.Fn %s \"", name);
	fn = strstr(page, entry);
	if (!fn)
		return;
	for (ft = fn - 1; *ft != '\n'; ft--)
		;
	ft = strchr(ft, '"');
	assert_true(ft && ft < fn);
	n = (size_t)snprintf(prototype, 512, "%.*s", (int)strcspn(ft + 1, "\""), ft + 1);
	n += (size_t)snprintf(prototype + n, 512 - n, "%s%s(",
			      prototype[n - 1] == '*' ? "" : " ", name);
	for (const char *at = strchr(fn, '"'); *at == '"'; arguments++) {
		int length = (int)strcspn(at + 1, "\"");

		n += (size_t)snprintf(prototype + n, 512 - n, "%s%.*s", arguments ? ", " : "",
				      length, at + 1);
		at += length + 2;
		at += *at == ' ';
	}
	snprintf(prototype + n, 512 - n, ")");
}

static void test_functions(void **state)
{
	char *page = read_source("user/man/libproclife.3");
	char *symbols = read_source("user/lib/libproclife.sym");
	char *header = read_source("user/lib/proclife.h");
	char name[64], wanted[96], declared[512], shown[512];
	unsigned int count = 0;
	const char *at;

	(void)state;
	squeeze(header);
	for (at = symbols; (at = next_name(at, "\tproclife_", name)); count++) {
		snprintf(wanted, sizeof(wanted), "proclife_%s", name);
		declared_as(header, wanted, declared);
		shown_as(page, wanted, shown);
		if (!declared[0])
			fail_msg("proclife.h does not declare %s", wanted);
		assert_string_equal(shown, declared);
	}
	assert_true(count > 40);
	for (at = page; (at = next_name(at, "Fn proclife_", name));) {
		snprintf(wanted, sizeof(wanted), "proclife_%s", name);
		if (!has_word(symbols, wanted))
			fail_msg("libproclife(3) has %s, which there is not", wanted);
	}
	free(page);
	free(symbols);
	free(header);
}

/* dkms.conf has the version; the header and the library agree. */
static void test_version(void **state)
{
	char *dkms = read_source("dkms.conf"), wanted[64];

	(void)state;
	snprintf(wanted, sizeof(wanted), "\nPACKAGE_VERSION=\"%d.%d.%d\"\n", PROCLIFE_VERSION_MAJOR,
		 PROCLIFE_VERSION_MINOR, PROCLIFE_VERSION_PATCH);
	assert_non_null(strstr(dkms, wanted));
	assert_int_equal(proclife_version(), PROCLIFE_VERSION_CODE);
	free(dkms);
}

/* Fields, types and flags of the ABI's header. */
static void test_abi(void **state)
{
	char *page = read_source("user/man/proclife.4");
	char *abi = read_source("include/proclife/abi.h");
	char type[40], name[64];
	unsigned int fields = 0, constants = 0;

	(void)state;
	for (char *line = strtok(abi, "\n"); line; line = strtok(NULL, "\n")) {
		if (sscanf(line, "\t%39[_a-z0-9] %63[_a-z0-9]", type, name) == 2) {
			/* The parts of a union are types of records, which come below. */
			if (!strcmp(type, "struct") || !strcmp(name, "words"))
				continue;
			name[strcspn(name, "0")] = '\0'; /* reserved0 */
			if (strncmp(name, "reserved", 8) && !has_word(page, name))
				fail_msg("proclife(4) does not have the field %s", name);
			fields++;
		} else if (sscanf(line, "\t%63[_A-Z] = ", name) == 1 ||
			   sscanf(line, "#define %63[_A-Z] (1u", name) == 1 ||
			   sscanf(line, "#define %63[_A-Z]", name) == 1) {
			if (!strcmp(name, "PROCLIFE_NONE") || strstr(name, "_LEN") ||
			    !strcmp(name, "PROCLIFE_TYPES") || !strcmp(name, "PROCLIFE_IOC") ||
			    !strcmp(name, "PROCLIFE_ABI_H") || strstr(name, "PROCLIFE_ABI_") ||
			    !strcmp(name, "PROCLIFE_DEVICE"))
				continue;
			if (!has_word(page, name))
				fail_msg("proclife(4) does not have %s", name);
			constants++;
		}
	}
	assert_true(fields > 90);
	assert_true(constants > 25);
	free(page);
	free(abi);
}

static void write_lives(struct fake_device *device, uint32_t count)
{
	struct who init = process_of_pid(1, "init");

	for (uint32_t i = 0; i < count; i++) {
		struct who who = process_of_pid(1000 + i, "made-up");
		struct proclife_record records[] = {
			fork_record(0, &who, &init), exit_record(0, &who, 0, 0),
			notify_record(0, &who, &init), reap_record(0, &who, &init),
			free_record(0, &who),
		};

		for (size_t n = 0; n < sizeof(records) / sizeof(*records); n++) {
			struct proclife_record *slot = fake_device_begin(device, i % 2);

			records[n].ts = device->now += 1500000;
			records[n].cpu = i % 2;
			*slot = records[n];
			proclife_ring_commit(&device->rings[i % 2], records[n].type);
		}
	}
}

static struct fake_device *new_device(uint64_t ring)
{
	struct fake_device *device = fake_device_new(2, ring);

	fake_device_add_rings(device);
	device->now = 1000000;
	return device;
}

static void test_abi_example(void **state)
{
	struct fake_device *device = new_device(64);
	struct output out;

	(void)state;
	write_lives(device, 30); /* 75 records on each CPU: the oldest are overwritten */
	out = run_program(false, 0, "%s/proclife.4-1 /proc/%d/fd/%d", examples, (int)getpid(),
			  device->fd);
	assert_int_equal(out.status, 0);
	assert_int_equal(count_text(out.text, "\n"), 128);
	assert_int_equal(count_text(out.text, " cpu 1 "), 64);
	assert_int_equal(count_text(out.text, " type 7 pid 1029 made-up\n"), 1);
	free(out.text);
	out = run_program(true, 0, "%s/proclife.4-1 /dev/null", examples);
	assert_int_equal(out.status, 1);
	free(out.text);
	fake_device_free(device);
}

/* It follows until a signal. */
static void test_library_example(void **state)
{
	static const char life[] = "1000 made-up life 1.500 ms teardown 1.500 ms zombie 1.500 ms "
				   "rcu_free 1.500 ms exit_free 4.500 ms\n";
	struct fake_device *device = new_device(4096);
	char line[2 * PATH_MAX], text[1 << 16] = "";
	size_t n = 0;
	int fds[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	snprintf(line, sizeof(line), "%s/libproclife.3-1 /proc/%d/fd/%d", examples, (int)getpid(),
		 device->fd);
	pid = start_program(line, fds[1], STDERR_FILENO, 0);
	close(fds[1]);
	/* It shows only what comes after its start: so lives are written until it shows some. */
	while (!strstr(text, life)) {
		struct timeval tick = { 0, 10000 };
		fd_set set;
		ssize_t got;

		write_lives(device, 1);
		FD_ZERO(&set);
		FD_SET(fds[0], &set);
		if (select(fds[0] + 1, &set, NULL, NULL, &tick) != 1)
			continue;
		got = read(fds[0], text + n, sizeof(text) - 1 - n);
		if (got <= 0)
			fail_msg("it ended: %s", text);
		n += got;
		text[n] = '\0';
	}
	kill(pid, SIGINT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fds[0]);
	fake_device_free(device);
}

/* A recording of lives that are over. */
static void test_recording_example(void **state)
{
	struct fake_device *device = new_device(1024);
	struct proclife_run_info run = { .size = sizeof(run), .began = 1 };
	struct proclife_recorder *recorder;
	struct proclife_source *source;
	struct proclife_event event;
	struct output out;

	(void)state;
	folder_make(&folder);
	device->header->features = UINT64_MAX;
	source = fake_device_open(device);
	assert_int_equal(proclife_recorder_new(&recorder, source, folder.path, &run), 0);
	write_lives(device, 30);
	while (proclife_source_next(source, &event) == 1)
		;
	run.ended = device->now;
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	fake_device_free(device);
	out = run_program(false, 0, "%s/libproclife.3-2 %s", examples, folder.path);
	assert_int_equal(out.status, 0);
	assert_string_equal(out.text, "30 processes, p99 1.500 ms\n");
	free(out.text);
	out = run_program(true, 0, "%s/libproclife.3-2 /dev/null", examples);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "/dev/null"));
	free(out.text);
	folder_remove(&folder);
}

static void expect_example(int number, const char *text)
{
	struct output out = run_program(false, 0, "%s/libproclife.3-%d %s", examples, number, folder.path);

	assert_int_equal(out.status, 0);
	assert_string_equal(out.text, text);
	free(out.text);
	out = run_program(true, 0, "%s/libproclife.3-%d /nonexistent", examples, number);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "No such file"));
	free(out.text);
}

/* Two zombies of a parent that appeared before them, and a life that is over. */
static void test_stranger_examples(void **state)
{
	struct who init = process_of_pid(1, "init"), parent, child;

	(void)state;
	folder_make(&folder);
	story_begin(folder.path);
	story_put(task_record(0, &init, &init));
	parent = story_fork(&init, 100, "parent");
	for (uint32_t pid = 101; pid <= 103; pid++) {
		machine->now += MS;
		child = story_fork(&parent, pid, "a child");
		story_exit(&child, &parent, pid == 101 ? 9 : 3 << 8);
	}
	story_reap(&child, &parent);
	story_put(free_record(0, &child));
	story_end();
	expect_example(4, "100 has left 2 zombies\n");
	expect_example(5, "103 100 a?child 1003000008 1003000009 1003000011 status 3 complete\n"
			  "1 1 init 0 0 0 unknown -1 incomplete\n"
			  "100 1 parent 1000000001 0 0 unknown -1 incomplete\n"
			  "101 100 a?child 1001000002 1001000003 0 signal 9 incomplete\n"
			  "102 100 a?child 1002000005 1002000006 0 status 3 incomplete\n");
	folder_remove(&folder);
}

/* The macro encloses the rest of its line: with another one in it, the quotes are around both, and in each other. */
static void check_enclosures(const char *name)
{
	static const char *const macros[] = { "Qq", "Dq", "Sq", "Ql", "Pq" };
	char *page = read_source(name), *rest;

	for (char *line = strtok_r(page, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		for (size_t i = 0; line[0] == '.' && i < sizeof(macros) / sizeof(*macros); i++) {
			const char *first = word_in(line, macros[i]);

			if (first && word_in(first + 2, macros[i]))
				fail_msg("%s: %s: the first %s encloses the second", name, line, macros[i]);
		}
	free(page);
}

static void test_enclosures(void **state)
{
	(void)state;
	check_enclosures("user/man/libproclife.3");
	check_enclosures("user/man/proclife.4");
	check_enclosures("user/man/proclife-read-export.5");
	check_enclosures("user/man/proclife-read-json.5");
	check_enclosures("user/man/proclife-recording.5");
	check_enclosures("user/man/proclife-views.7");
	check_enclosures("user/man/proclife-read.8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),	 cmocka_unit_test(test_formats), cmocka_unit_test(test_functions),
		cmocka_unit_test(test_version),	 cmocka_unit_test(test_enclosures),
		cmocka_unit_test(test_abi),	 cmocka_unit_test(test_abi_example),
		cmocka_unit_test(test_library_example),
		cmocka_unit_test(test_recording_example),
		cmocka_unit_test(test_stranger_examples),
	};

	if (find_program())
		return 1;
	/* The program is B/proclife-read; the examples are in B/tests/examples. */
	snprintf(examples, sizeof(examples), "%.*s/tests/examples",
		 (int)(strrchr(program, '/') - program), program);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
