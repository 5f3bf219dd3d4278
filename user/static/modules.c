// SPDX-License-Identifier: GPL-2.0-only
/* In place of modules_kmod.c: distributions have no libkmod to link statically. modprobe(8) is asked instead. */
#include "output/message.h"
#include "run/inherited.h"
#include "origin/modules.h"
#include "views/views.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_NAME "/" MODULE_NAME ".ko"

/* Is this line of modules.dep, "FILE: DEPENDENCIES", about our module? It can be compressed. */
static bool is_ours(char *line)
{
	char *found;

	line[strcspn(line, ":\n")] = '\0';
	found = strstr(line, FILE_NAME);
	return found && (!found[strlen(FILE_NAME)] || found[strlen(FILE_NAME)] == '.');
}

bool modules_have(const char *release)
{
	char path[320], line[4096];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = is_ours(line);
	fclose(file);
	return found;
}

int modules_load(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		inherited_restore();
		execlp("modprobe", "modprobe", MODULE_NAME, (char *)NULL);
		execl("/sbin/modprobe", "modprobe", MODULE_NAME, (char *)NULL);
		_exit(STATUS_NOT_FOUND);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -errno;
	if (!status)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND)
		message("--load: no modprobe(8) is here, which this program needs to load a module; load it yourself, or record with --source=bpf");
	else
		message("--load: 'modprobe %s' failed, with status %d; --source=bpf needs no module", MODULE_NAME,
			WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	return -ECANCELED;
}

int modules_unload(void)
{
	return syscall(SYS_delete_module, MODULE_NAME, O_NONBLOCK) ? -errno : 0;
}
