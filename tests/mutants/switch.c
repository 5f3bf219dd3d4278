// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which mutant of the module lives, and which ones were reached: a module of its own, so that both
 * outlive the mutant. Writing to the parameter "reached" forgets them.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "mutant.h"

int mutant_number;
EXPORT_SYMBOL_GPL(mutant_number);
unsigned char mutant_noted[MUTANT_MAX];
EXPORT_SYMBOL_GPL(mutant_noted);

module_param_named(number, mutant_number, int, 0600);

static int forget(const char *value, const struct kernel_param *param)
{
	memset(mutant_noted, 0, sizeof(mutant_noted));
	return 0;
}

static int list(char *text, const struct kernel_param *param)
{
	int i, len = 0;

	for (i = 1; i < MUTANT_MAX; i++)
		if (mutant_noted[i])
			len += scnprintf(text + len, PAGE_SIZE - len, "%d,", i);
	return len;
}

static const struct kernel_param_ops reached_ops = { .set = forget, .get = list };
module_param_cb(reached, &reached_ops, NULL, 0600);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Says which mutant lives");
