// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init.h>
#include <linux/module.h>
#include <linux/printk.h>

#include "chardev.h"
#include "clock.h"
#include "probes.h"
#include "reap.h"
#include "record.h"
#include "rings.h"

static int __init proclife_init(void)
{
	int ret;

	record_init();

	ret = clock_init();
	if (ret)
		return ret;

	ret = rings_init();
	if (ret)
		goto exit_clock;

	reap_init();

	ret = probes_init();
	if (ret)
		goto exit_reap;

	ret = chardev_init();
	if (ret)
		goto exit_probes;

	pr_info("version " PROCLIFE_VERSION " records; REAP from %s\n", reap_source());
	return 0;

exit_probes:
	probes_exit();
exit_reap:
	reap_exit();
	rings_exit();
exit_clock:
	clock_exit();
	return ret;
}

static void __exit proclife_exit(void)
{
	chardev_exit();
	probes_exit();
	reap_exit();
	rings_exit();
	clock_exit();
}

module_init(proclife_init);
module_exit(proclife_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("The exact story of every task's life, in rings for user space to map");
MODULE_AUTHOR("The proclife developers");
MODULE_VERSION(PROCLIFE_VERSION);
