// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "run/inherited.h"
#include "origin/modules.h"
#include "views/views.h"
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

bool modules_have(const char *release)
{
	static const char *const no_config[] = { NULL };
	struct kmod_list *list = NULL;
	struct kmod_ctx *kmod;
	char directory[320];
	bool found;

	snprintf(directory, sizeof(directory), "/lib/modules/%s", release);
	kmod = kmod_new(directory, no_config);
	if (!kmod)
		return false;
	found = kmod_module_new_from_lookup(kmod, MODULE_NAME, &list) >= 0 && list;
	kmod_module_unref_list(list);
	kmod_unref(kmod);
	return found;
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

int modules_load(void)
{
	struct kmod_list *list = NULL, *item;
	struct kmod_ctx *kmod = kmod_new(NULL, NULL);
	int ret;

	if (!kmod)
		return -ENOMEM;
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
	return ret < 0 ? ret : 0;
}

int modules_unload(void)
{
	struct kmod_ctx *kmod = kmod_new(NULL, NULL);
	struct kmod_module *module = NULL;
	int ret = -ENOMEM;

	if (kmod)
		ret = kmod_module_new_from_name(kmod, MODULE_NAME, &module);
	if (ret >= 0)
		ret = kmod_module_remove_module(module, O_NONBLOCK);
	kmod_module_unref(module);
	kmod_unref(kmod);
	return ret < 0 ? ret : 0;
}
