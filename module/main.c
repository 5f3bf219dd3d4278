// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init.h>
#include <linux/module.h>
#include <linux/printk.h>

#include "chardev.h"
#include "clock.h"
#include "failures.h"
#include "handle.h"
#include "hooks.h"
#include "probes.h"
#include "readers.h"
#include "recording.h"
#include "rings.h"

static int __init proclife_init(void)
{
	int ret;

	ret = proclife_handle_init();
	if (ret)
		return ret;

	ret = proclife_clock_init();
	if (ret)
		goto exit_handle;

	ret = proclife_readers_init();
	if (ret)
		goto exit_clock;

	ret = proclife_rings_init();
	if (ret)
		goto exit_readers;

	ret = proclife_probes_check();
	if (ret)
		goto exit_rings;

	proclife_hooks_init();
	proclife_failures_init();

	ret = proclife_probes_init();
	if (ret)
		goto exit_hooks;

	proclife_recording_init();

	ret = proclife_chardev_init();
	if (ret)
		goto exit_recording;

	pr_info("version " PROCLIFE_VERSION " loaded; REAP hook: %s\n", proclife_hooks_reap_source());
	return 0;

exit_recording:
	proclife_recording_exit();
	proclife_probes_exit();
exit_hooks:
	proclife_failures_exit();
	proclife_hooks_exit();
exit_rings:
	proclife_rings_exit();
exit_readers:
	proclife_readers_exit();
exit_clock:
	proclife_clock_exit();
exit_handle:
	proclife_handle_exit();
	return ret;
}

static void __exit proclife_exit(void)
{
	proclife_chardev_exit();
	proclife_recording_exit();
	proclife_probes_exit();
	proclife_failures_exit();
	proclife_hooks_exit();
	proclife_rings_exit();
	proclife_readers_exit();
	proclife_clock_exit();
	proclife_handle_exit();
}

module_init(proclife_init);
module_exit(proclife_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("The exact story of every task's life, in rings for user space to map");
MODULE_AUTHOR("The proclife developers");
MODULE_VERSION(PROCLIFE_VERSION);
