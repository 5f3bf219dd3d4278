// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

/*
 * What happens while recording is stopped is not known afterwards: a reader must take it as a gap on all
 * CPUs. So the rings say when that was. A stop is announced before the first source goes, and once more
 * after the last one has gone; the end of a stop, after the last source is back. So each record that is
 * missing lies between the first and the last of these, and what was recorded in between is true, but not
 * all.
 *
 * Writers pay nothing for it. Tracepoints are unregistered. Hooks stay, since ftrace may not give them
 * again, and ignore what comes from there.
 */
#include <linux/capability.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>

#include "failures.h"
#include "hooks.h"
#include "probes.h"
#include "recording.h"
#include "rings.h"

static DEFINE_MUTEX(lock);
static bool recording = true; /* before the sources are there, and after that: what was asked for */
static bool has_sources;

static void stop(void)
{
	u64 since = proclife_rings_stop();

	proclife_hooks_stop();
	proclife_failures_stop();
	proclife_probes_stop();
	/* A task can have been preempted on its way into a hook, as when ftrace removes one. */
	synchronize_rcu_tasks();
	proclife_rings_stopped(since);
	pr_info("recording is stopped\n");
}

static int start(void)
{
	int ret = proclife_probes_start();

	if (ret) {
		pr_err("recording cannot be started again (%d): try it once more, or load the module again\n",
		       ret);
		return ret;
	}
	proclife_failures_start();
	proclife_hooks_start();
	proclife_rings_start();
	pr_info("recording is started again\n");
	return 0;
}

static int set_recording(const char *text, const struct kernel_param *param)
{
	struct kernel_param wish = *param;
	bool wanted;
	int ret;

	/* As to load and unload it: the file's mode alone is not enough, as in a container. */
	if (!capable(CAP_SYS_MODULE))
		return -EPERM;
	wish.arg = &wanted;
	ret = param_set_bool(text, &wish);
	if (ret)
		return ret;
	mutex_lock(&lock);
	if (has_sources && wanted && !recording)
		ret = start();
	else if (has_sources && !wanted && recording)
		stop();
	if (!ret)
		recording = wanted;
	mutex_unlock(&lock);
	return ret;
}

static const struct kernel_param_ops recording_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = set_recording,
	.get = param_get_bool,
};
module_param_cb(recording, &recording_ops, &recording, 0644);
__MODULE_PARM_TYPE(recording, "bool");
MODULE_PARM_DESC(recording, "record; can be changed while the module is loaded (Y)");

void proclife_recording_init(void)
{
	mutex_lock(&lock);
	has_sources = true;
	if (!recording)
		stop();
	mutex_unlock(&lock);
}

void proclife_recording_exit(void)
{
	mutex_lock(&lock);
	has_sources = false;
	mutex_unlock(&lock);
}
