// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "origin/diagnose.h"
#include "origin/module.h"
#include "origin/modules.h"
#include "views/views.h"
#include <errno.h>
#include <proclife.h>
#include <string.h>
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

int load_module(void)
{
	int err;

	if (module_is_loaded())
		return 0;
	err = modules_load();
	if (err == -EEXIST) /* another process was faster */
		return 0;
	if (!err)
		wait_for_device();
	else if (err != -ECANCELED)
		diagnose_load(err);
	return err;
}

int unload_module(void)
{
	int err = modules_unload();

	if (err == -EAGAIN || err == -EBUSY)
		message("module %s stays loaded: others still use it; 'rmmod %s' later", MODULE_NAME,
			MODULE_NAME);
	else if (err)
		message("module %s: cannot unload: %s", MODULE_NAME, strerror(-err));
	return err;
}
