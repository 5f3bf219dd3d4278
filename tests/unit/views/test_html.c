// SPDX-License-Identifier: GPL-2.0-only
/* --html: the file and its rows. tests/html tests it in a browser. */
#include "story.h"

#include <views/html/page.h>
#include <output/packed.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char html[PATH_MAX];

static void tell_life(uint32_t pid, const char *comm, const struct who *parent, const char *args, size_t size,
		      int32_t code)
{
	struct who who = process_of_pid(pid, comm);

	story_put(fork_record(0, &who, parent));
	story_put(exec_record(0, &who, pid, "/usr/bin/prog"));
	story_args(&who, args, size);
	machine->now += 10 * MS;
	story_exit(&who, parent, code);
	story_reap(&who, parent);
	story_put(free_record(0, &who));
}

static void tell(void)
{
	struct who init = process_of_pid(1, "init"), sh = process_of_pid(50, "sh");

	snprintf(html, sizeof(html), "%s/page.html", folder.base);
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &sh, &init));
	tell_life(100, "a", &sh, "a\0--password=x", 15, 0);
	tell_life(101, "b", &sh, "b", 2, 1 << 8);
	tell_life(102, "b", &sh, "b", 2, SIGKILL);
	story_end();
}

static char *read_page(size_t *size)
{
	FILE *file = fopen(html, "r");
	struct stat st;
	char *text;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &st), 0);
	*size = (size_t)st.st_size;
	text = malloc(*size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, *size, file), *size);
	text[*size] = '\0';
	fclose(file);
	return text;
}

/* The content of an element. */
static char *read_data(const char *id)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char begin[40], *page, *from, *data;
	uint32_t bits = 0, count = 0;
	size_t size, n = 0;

	snprintf(begin, sizeof(begin), " id=\"%s\">", id);
	page = read_page(&size);
	from = strstr(page, begin);
	assert_non_null(from);
	data = calloc(1, size);
	assert_non_null(data);
	for (from += strlen(begin); *from != '=' && *from != '<'; from++) {
		assert_non_null(strchr(digits, *from));
		bits = bits << 6 | (uint32_t)(strchr(digits, *from) - digits);
		count += 6;
		if (count < 8)
			continue;
		count -= 8;
		data[n++] = (char)(bits >> count);
	}
	free(page);
	return data;
}

static struct output write_page(const char *options)
{
	return run_program(true, 0, "%s -i %s --html %s %s", program, folder.path, html, options);
}

static void expect_facts(const char *options, const char *const *wanted)
{
	struct output out = write_page(options);
	char *facts;

	if (out.status || (*out.text && !strstr(out.text, ": whole since ")))
		fail_msg("status %d: %s", out.status, out.text);
	free(out.text);
	facts = read_data("facts");
	for (; *wanted; wanted++)
		if (!strstr(facts, *wanted))
			fail_msg("there is no %s in %s", *wanted, facts);
	free(facts);
}

#define EXPECT(options, ...) expect_facts(options, (const char *const[]){ __VA_ARGS__, NULL })

static void test_facts(void **state)
{
	(void)state;
	tell();
	EXPECT("", "{\"v\":1,\"type\":\"page\",", "\"ended\":3,\"failed\":2,\"open\":2,", "\"lost\":0,", "\"kernel\":\"6.18\"");
	EXPECT("--comm b", "\"ended\":2,\"failed\":2,\"open\":0,");
	EXPECT("--comm sh", "\"ended\":0,\"failed\":0,\"open\":1,");
}

/* The page is a file: nothing is on standard output before the verdicts. */
static void test_verdicts(void **state)
{
	struct output out;

	(void)state;
	tell();
	out = run_program(false, 0, "%s -i %s --html %s --expect failed==2", program, folder.path, html);
	assert_int_equal(out.status, 0);
	assert_int_equal(strncmp(out.text, "EXPECTED", 8), 0);
	free(out.text);
	out = run_program(false, 0, "%s -i %s --parents --html %s --expect failed==2", program, folder.path, html);
	assert_non_null(strstr(out.text, "\n\nEXPECTED"));
	free(out.text);
}

/* There is nothing to show: the range is empty, and begins when it ends. */
static void test_no_range(void **state)
{
	(void)state;
	snprintf(html, sizeof(html), "%s/page.html", folder.base);
	story_end();
	EXPECT("", "\"begin\":[1,1],", "\"from\":0,\"to\":0,", "\"ended\":0,");
}

/* The same if all lives are over before the range. */
static void test_beyond(void **state)
{
	(void)state;
	tell();
	EXPECT("--from +2h", "\"begin\":[1,0],", "\"from\":30000024,\"to\":30000024,", "\"ended\":0,");
}

/* A part of a recording, whose earlier parts were removed. */
static void test_part(void **state)
{
	(void)state;
	tell();
	metadata_set(folder.path, "part", "2");
	metadata_set(folder.path, "began", "1010000000");
	EXPECT("", "\"whole\":10000000,");
}

static void test_file(void **state)
{
	struct output out;
	struct stat st;

	(void)state;
	tell();
	free(write_page("").text);
	assert_int_equal(stat(html, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(chmod(html, 0666), 0);
	free(write_page("").text);
	assert_int_equal(stat(html, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* Beside another view, only that view's output is printed. */
	out = run_program(false, 0, "%s -i %s --summary --html %s", program, folder.path, html);
	assert_int_equal(out.status, 0);
	assert_non_null(strstr(out.text, "\n3 processes ended, 2 failed, 2 did not"));
	assert_int_equal(out.text[0], ' ');
	assert_string_not_equal(out.text + out.size - 2, "\n\n");
	free(out.text);
}

static void test_hide_args(void **state)
{
	char *texts;

	(void)state;
	tell();
	free(write_page("").text);
	texts = read_data("texts");
	/* Numbers come before the texts. */
	assert_non_null(memmem(texts, 400, "password", 8));
	free(texts);
	free(write_page("--hide-args").text);
	texts = read_data("texts");
	assert_null(memmem(texts, 400, "password", 8));
	assert_non_null(memmem(texts, 400, "/usr/bin/prog", 13));
	free(texts);
}

/* The first command line has no word: it was cut before its first byte. */
static void test_no_word(void **state)
{
	struct who init = process_of_pid(1, "init"), a = process_of_pid(100, "a");
	struct proclife_record args = record_of(0, PROCLIFE_ARGS, &a);

	(void)state;
	snprintf(html, sizeof(html), "%s/page.html", folder.base);
	args.args.total = 100;
	args.flags |= PROCLIFE_F_TRUNCATED;
	story_put(task_record(0, &init, &init));
	story_put(fork_record(0, &a, &init));
	story_put(exec_record(0, &a, a.pid, "/usr/bin/prog"));
	story_put(args);
	machine->now += 10 * MS;
	story_exit(&a, &init, 0);
	story_reap(&a, &init);
	story_put(free_record(0, &a));
	story_end();
	EXPECT("", "\"ended\":1,");
}

static void test_errors(void **state)
{
	struct output out;
	struct stat st;

	(void)state;
	tell();
	out = run_program(true, 0, "%s -i %s --html /nowhere/x.html", program, folder.path);
	assert_int_equal(out.status, 1);
	assert_string_equal(out.text, "proclife-read: --html /nowhere/x.html: cannot write there: No such file or "
			    "directory; name a file in a folder that exists and can be written\n");
	free(out.text);
	/* The disk is full then: the old file stays. */
	free(write_page("").text);
	assert_int_equal(stat(html, &st), 0);
	out = run_program(true, 1000, "%s -i %s --html %s", program, folder.path, html);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "cannot write there: File too large"));
	free(out.text);
	assert_int_equal(stat(html, &st), 0);
	assert_true(st.st_size > 1000);
	assert_int_equal(unlink(html), 0);
	assert_int_equal(symlink("/nowhere/else", html), 0);
	out = write_page("");
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, ": a symbolic link has this name, and would be replaced; name another file\n"));
	free(out.text);
}

static void test_packed(void **state)
{
	static const unsigned char bytes[] = "\x00\x7f\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
	static const char *const base64[] = { "", "AA==", "AAA=", "AAAA", "AAAAAA==" };
	struct packed packed = { 0 };

	(void)state;
	packed_uint(&packed, 0);
	packed_uint(&packed, 127);
	packed_uint(&packed, 128);
	packed_uint(&packed, UINT64_MAX);
	assert_int_equal(packed.count, sizeof(bytes) - 1);
	assert_memory_equal(packed.bytes, bytes, packed.count);
	packed_free(&packed);
	for (size_t i = 0; i < 5; i++) {
		char text[16] = "";
		FILE *file = fmemopen(text, sizeof(text), "w");

		base64_write(file, (const unsigned char *)"\0\0\0\0", i);
		fclose(file);
		assert_string_equal(text, base64[i]);
	}
}

/*
 * Folding: a make with @groups shells, each with @each compilers; the first one of each shell is long.
 */

#define MOST_LIVES 111

static struct run made_up;
static struct page page;

static struct page_life *add(uint64_t id, uint64_t parent, uint32_t comm, uint64_t time)
{
	struct kin_life *kin = &page.critical.kin.all[page.count];
	struct page_life *life = &page.all[page.count++];

	assert_in_range(page.count, 1, MOST_LIVES);
	*kin = (struct kin_life){ .id = id, .comm = comm, .born = 1000 + id, .runtime = 1 };
	*life = (struct page_life){ .id = id, .parent_id = parent, .lived_to = 1000 + id + time,
				    .max_rss = (uint32_t)id, .ended = true, .shown = true };
	return life;
}

static void make(uint32_t groups, uint32_t each)
{
	uint64_t id = 1;

	made_up = (struct run){ .first = 1000, .ended = 1 << 20, .to = UINT64_MAX };
	page = (struct page){ .run = &made_up };
	page.all = calloc(MOST_LIVES, sizeof(*page.all));
	page.critical.kin.all = calloc(MOST_LIVES, sizeof(*page.critical.kin.all));
	assert_non_null(page.all);
	assert_non_null(page.critical.kin.all);
	add(id++, 0, 1, 500000);
	for (uint32_t i = 0; i < groups; i++) {
		uint64_t shell = id++;

		add(shell, 1, 2, 5000);
		for (uint32_t k = 0; k < each; k++)
			add(id++, shell, 3, k ? k : 4000);
	}
}

static void forget(void)
{
	free(page.critical.kin.all);
	free(page.all);
	free(page.rows);
	free(page.row_of);
	free(page.folds);
}

/* For every limit of rows: each life is in exactly one of them. */
static void check_rows(uint32_t most)
{
	uint32_t *lives = calloc(page.row_count + 1, sizeof(*lives)), i;
	uint64_t ended = 0;

	assert_non_null(lives);
	assert_in_range(page.row_count, 1, most);
	for (i = 0; i < page.count; i++) {
		assert_in_range(page.row_of[i], 0, page.row_count - 1);
		lives[page.row_of[i]]++;
	}
	for (i = 0; i < page.row_count; i++) {
		assert_true(!i || page.rows[i] > page.rows[i - 1]);
		assert_int_equal(page.row_of[page.rows[i]], i);
	}
	for (i = 0; i < page.fold_count; i++) {
		const struct page_fold *fold = &page.folds[i];

		assert_int_equal(fold->count, lives[fold->row]);
		assert_int_equal(fold->ended, fold->count);
		assert_int_equal(fold->runtime, fold->count);
		assert_true(fold->count > 1);
		lives[fold->row] = 1;
		ended += fold->ended;
	}
	assert_int_equal(ended, page.folded);
	for (i = 0; i < page.row_count; i++)
		assert_int_equal(lives[i], 1);
	free(lives);
}

static void test_unfolded(void **state)
{
	(void)state;
	make(10, 10);
	page_choose_rows(&page, 111);
	check_rows(111);
	assert_int_equal(page.row_count, 111);
	assert_int_equal(page.folded, 0);
	forget();
}

static void test_folded(void **state)
{
	uint32_t alone = 0, i;

	(void)state;
	make(10, 10);
	/* It failed, so it stays, although it is short. */
	page.all[5].failed = true;
	page_choose_rows(&page, 60);
	check_rows(60);
	assert_int_equal(page.fold_count, 10);
	for (i = 0; i < page.fold_count; i++)
		assert_int_equal(page.critical.kin.all[page.rows[page.folds[i].row]].comm, 3);
	for (i = 0; i < page.count; i++)
		if (page.rows[page.row_of[i]] == i)
			alone += page.critical.kin.all[i].comm < 3 || page_life_time(&page, &page.all[i]) == 4000;
	/* The make, its shells, and the long one of each. */
	assert_int_equal(alone, 21);
	assert_int_equal(page.rows[page.row_of[5]], 5);
	forget();
}

/* All ancestors of a process that failed have rows of their own, however short they lived. */
static void test_folded_below(void **state)
{
	uint32_t i;

	(void)state;
	make(10, 10);
	/* The last compiler of the fourth shell. All compilers of the fourth and fifth shells are short. */
	for (i = 34; i <= 55; i++)
		page.all[i].lived_to = page.critical.kin.all[i].born + 1;
	page.all[44].failed = true;
	page_choose_rows(&page, 40);
	check_rows(40);
	assert_int_equal(page.all[44].parent, 34);
	assert_int_equal(page.rows[page.row_of[44]], 44);
	assert_int_equal(page.rows[page.row_of[34]], 34);
	for (i = 0; i < page.fold_count; i++)
		assert_int_not_equal(page.folds[i].row, page.row_of[34]);
	forget();
}

/* From no folds to only folds; and if even these are too many. */
static void test_any_room(void **state)
{
	(void)state;
	for (uint32_t most = 1; most < 120; most++) {
		make(10, 10);
		for (uint32_t i = 0; i < page.count; i += 7)
			page.all[i].failed = true;
		page_choose_rows(&page, most);
		check_rows(most);
		forget();
	}
	for (uint32_t most = 1; most < 30; most++) {
		make(0, 0);
		for (uint64_t id = 2; id <= 30; id++) /* a chain of forks, in which nothing is alike */
			add(id, id - 1, (uint32_t)id, 10);
		page_choose_rows(&page, most);
		check_rows(most);
		forget();
	}
}

/* With handles that were reused unseen, parents can be anything. */
static void test_circle(void **state)
{
	(void)state;
	make(2, 2);
	page.all[1].parent_id = 3; /* its own child */
	page.all[5].parent_id = 6; /* itself */
	page_choose_rows(&page, 100);
	check_rows(100);
	assert_int_equal(page.row_count, page.count);
	assert_int_equal(page.all[1].parent, NOBODY);
	assert_int_equal(page.all[5].parent, NOBODY);
	assert_int_equal(page.all[2].parent, 1);
	forget();
}

/* The ancestors of matching processes are shown, too. */
static void test_context(void **state)
{
	(void)state;
	make(2, 2);
	for (uint32_t i = 0; i < page.count; i++)
		page.all[i].shown = i == 3;
	page_choose_rows(&page, 100);
	assert_int_equal(page.row_count, 3);
	assert_int_equal(page.rows[2], 3);
	assert_true(page.all[1].context && page.all[0].context && !page.all[3].context);
	assert_int_equal(page.row_of[2], NOBODY);
	forget();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_facts), STORY(test_verdicts), STORY(test_part), STORY(test_no_range), STORY(test_beyond), STORY(test_file), STORY(test_hide_args), STORY(test_no_word),
		STORY(test_errors),
		cmocka_unit_test(test_packed), cmocka_unit_test(test_unfolded), cmocka_unit_test(test_folded),
		cmocka_unit_test(test_folded_below),
		cmocka_unit_test(test_any_room), cmocka_unit_test(test_circle), cmocka_unit_test(test_context),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
