// SPDX-License-Identifier: GPL-2.0-only
/* The library's texts stay the same in a program of another language. */
#include "check.h"
#include "recorded.h"

#include <errno.h>
#include <libintl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Writes a message catalogue with one entry, as msgfmt(1) makes them for this kind of machine. */
static void translate(const char *from, const char *to)
{
	uint32_t head[7] = { 0x950412de, 0, 1, 28, 36, 0, 0 };
	uint32_t places[4] = {
		(uint32_t)strlen(from), 44, (uint32_t)strlen(to), (uint32_t)(44 + strlen(from) + 1),
	};
	char path[PATH_MAX + 40];
	FILE *file;

	snprintf(path, sizeof(path), "%s/xx", folder.base);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/LC_MESSAGES");
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/libc.mo");
	file = fopen(path, "w");
	assert_non_null(file);
	fwrite(head, sizeof(head), 1, file);
	fwrite(places, sizeof(places), 1, file);
	fwrite(from, strlen(from) + 1, 1, file);
	fwrite(to, strlen(to) + 1, 1, file);
	assert_int_equal(fclose(file), 0);
	assert_non_null(bindtextdomain("libc", folder.base));
}

static void test_fault_in_another_language(void **state)
{
	struct proclife_source *source;
	struct proclife_fault fault;

	(void)state;
	translate("No such file or directory", "nix da");
	setenv("LANGUAGE", "xx", 1);
	if (!setlocale(LC_ALL, "C.UTF-8") || strcmp(strerror(ENOENT), "nix da"))
		skip(); /* this C library takes no translation of ours */
	assert_int_equal(proclife_recording_open(&source, folder.path, &fault), -ENOENT);
	assert_string_equal(fault.text, "cannot open: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED(test_fault_in_another_language),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
