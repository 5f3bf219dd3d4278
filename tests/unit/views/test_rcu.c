// SPDX-License-Identifier: GPL-2.0-only
// WRAP: fopen uname
/* The report on the kernel's RCU, on machines whose command line and configuration are made up. */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <views/share/rcu.h>

/* The machine's files; NULL: it has no such file. */
static const char *command_line, *parameter, *configuration;

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __wrap_uname(struct utsname *uts);

FILE *__wrap_fopen(const char *path, const char *mode)
{
	const char *text;

	if (!strcmp(path, "/proc/cmdline"))
		text = command_line;
	else if (!strcmp(path, "/sys/module/rcutree/parameters/enable_rcu_lazy"))
		text = parameter;
	else if (!strcmp(path, "/boot/config-6.12.9-amd64"))
		text = configuration;
	else
		return __real_fopen(path, mode);
	return text ? fmemopen((void *)text, strlen(text), "r") : NULL;
}

int __wrap_uname(struct utsname *uts)
{
	strcpy(uts->release, "6.12.9-amd64");
	return 0;
}

static void test_described(void **state)
{
	static const char lazy[] = "# CONFIG_RCU_BOOST is not set\nCONFIG_RCU_LAZY=y\nCONFIG_HZ=250\n";
	static const struct {
		const char *command_line;
		const char *parameter;
		const char *configuration;
		const char *words;
	} cases[] = {
		{ NULL, "Y\n", lazy, "" },
		{ "ro quiet\n", "Y\n", lazy, "" },
		{ "rcu_nocbs=0-3\n", NULL, NULL, "nocb=0-3" },
		{ "ro rcu_nocbs=0-3 quiet\n", NULL, NULL, "nocb=0-3" },
		{ "rcu_nocbs=1 rcu_nocbs=2\n", NULL, NULL, "nocb=2" },
		{ "rcu_nocbs quiet\n", NULL, NULL, "nocb=all" },
		{ "nohz_full=5\n", NULL, NULL, "nocb=5" },
		{ "rcu_nocbs=4 nohz_full=5\n", NULL, NULL, "nocb=4" },
		{ "rcu_nocbs_poll=1 xrcu_nocbs=2\n", NULL, NULL, "" },
		/* Since Linux 6.9 a parameter shows whether it is lazy, before that the configuration. */
		{ "rcu_nocbs=0\n", "Y\n", NULL, "nocb=0 lazy" },
		{ "rcu_nocbs=0\n", "1\n", NULL, "nocb=0 lazy" },
		{ "rcu_nocbs=0\n", "N\n", lazy, "nocb=0" },
		{ "rcu_nocbs=0\n", NULL, lazy, "nocb=0 lazy" },
		{ "rcu_nocbs=0\n", NULL, "CONFIG_RCU_LAZY=yes\n", "nocb=0" },
		{ "rcu_nocbs=0\n", NULL, "CONFIG_RCU_LAZY=y\nCONFIG_RCU_LAZY_DEFAULT_OFF=y\n", "nocb=0" },
		/* Without a parameter on the command line, the configuration decides. */
		{ "quiet\n", NULL, "CONFIG_RCU_NOCB_CPU_DEFAULT_ALL=y\n", "nocb=all" },
		{ "quiet\n", "Y\n", "CONFIG_RCU_NOCB_CPU_DEFAULT_ALL=y\n", "nocb=all lazy" },
		{ "quiet\n", "N\n", "CONFIG_RCU_NOCB_CPU_DEFAULT_ALL=y\n", "nocb=all" },
		{ "rcu_nocbs=7\n", "N\n", "CONFIG_RCU_NOCB_CPU_DEFAULT_ALL=y\n", "nocb=7" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char words[100] = "before";

		command_line = cases[i].command_line;
		parameter = cases[i].parameter;
		configuration = cases[i].configuration;
		rcu_describe(words, sizeof(words));
		if (strcmp(words, cases[i].words))
			fail_msg("%zu: '%s' instead of '%s'", i, words, cases[i].words);
	}
}

/* Text that does not fit is cut. */
static void test_room(void **state)
{
	char words[12];

	(void)state;
	command_line = "rcu_nocbs=10,12,14,16\n";
	parameter = NULL;
	configuration = NULL;
	rcu_describe(words, sizeof(words));
	assert_string_equal(words, "nocb=10,12,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_described),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
