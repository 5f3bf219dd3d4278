// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "origin/diagnose.h"
#include "run/inherited.h"
#include "origin/module.h"
#include "views/views.h"
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <proclife.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* udev may have work to do before the device has its name and permissions. */
static void wait_for_device(void)
{
	const struct timespec tick = { 0, 20 * 1000 * 1000 };
	int i;

	for (i = 0; i < 100 && access(PROCLIFE_DEVICE, R_OK); i++)
		nanosleep(&tick, NULL);
}

/* What modprobe.d(5) has in place of loading it. libkmod would use system(3), which knows nothing of us. */
static int run_install(struct kmod_module *module, const char *command, void *data)
{
	int status;
	pid_t pid;

	(void)data;
	pid = fork();
	if (!pid) {
		setenv("MODPROBE_MODULE", kmod_module_get_name(module), 1);
		inherited_restore();
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(STATUS_NOT_FOUND);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -errno;
	if (!status)
		return 0;
	message("--load: modprobe.d: install %s: it ended with status %d", quoted(command),
		WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	return -ECANCELED; /* it has been said */
}

int load_module(void)
{
	struct kmod_list *list = NULL, *item;
	struct kmod_ctx *kmod;
	int ret;

	if (module_is_loaded())
		return 0;
	kmod = kmod_new(NULL, NULL);
	if (!kmod) {
		diagnose_load(-ENOMEM);
		return -ENOMEM;
	}
	ret = kmod_module_new_from_lookup(kmod, MODULE_NAME, &list);
	if (ret >= 0 && !list)
		ret = -ENOENT;
	kmod_list_foreach(item, list) {
		struct kmod_module *module = kmod_module_get_module(item);

		ret = kmod_module_probe_insert_module(module, KMOD_PROBE_FAIL_ON_LOADED, NULL,
						      run_install, NULL, NULL);
		kmod_module_unref(module);
		if (ret < 0)
			break;
	}
	kmod_module_unref_list(list);
	kmod_unref(kmod);
	if (ret == -EEXIST) /* another process was faster */
		return 0;
	if (ret < 0) {
		if (ret != -ECANCELED)
			diagnose_load(ret);
		return ret;
	}
	wait_for_device();
	return 0;
}

int unload_module(void)
{
	struct kmod_ctx *kmod = kmod_new(NULL, NULL);
	struct kmod_module *module = NULL;
	int ret = -ENOMEM;

	if (kmod)
		ret = kmod_module_new_from_name(kmod, MODULE_NAME, &module);
	if (ret >= 0)
		ret = kmod_module_remove_module(module, O_NONBLOCK);
	if (ret == -EAGAIN || ret == -EWOULDBLOCK || ret == -EBUSY)
		message("module %s stays loaded: others still use it; 'rmmod %s' later", MODULE_NAME,
			MODULE_NAME);
	else if (ret < 0)
		message("module %s: cannot unload: %s", MODULE_NAME, strerror(-ret));
	kmod_module_unref(module);
	kmod_unref(kmod);
	return ret < 0 ? ret : 0;
}
