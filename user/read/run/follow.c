// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "run/follow.h"
#include "run/inherited.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(char **command, int go, int failed)
{
	char byte;
	int error;

	/* End of file: the parent has given up. */
	if (read(go, &byte, 1) != 1)
		_exit(STATUS_ERROR);
	inherited_restore();
	execvp(command[0], command);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(STATUS_ERROR);
	_exit(error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_EXECUTE);
}

int follow_fork(struct follow *follow, char **command)
{
	int go[2], failed[2];
	int ret;

	memset(follow, 0, sizeof(*follow));
	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		ret = -errno;
		goto close_go;
	}
	follow->pid = fork();
	if (follow->pid < 0) {
		ret = -errno;
		goto close_failed;
	}
	if (!follow->pid) {
		close(go[1]);
		close(failed[0]);
		child(command, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	follow->go = go[1];
	follow->failed = failed[0];
	return 0;

close_failed:
	follow->pid = 0;
	close(failed[0]);
	close(failed[1]);
close_go:
	close(go[0]);
	close(go[1]);
	return ret;
}

static int wait_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int follow_start(struct follow *follow, char **command)
{
	int error = 0;
	ssize_t n = 0;

	/* If it is dead already, its status will show why. */
	if (write(follow->go, "", 1) == 1) {
		do
			n = read(follow->failed, &error, sizeof(error));
		while (n < 0 && errno == EINTR);
	}
	close(follow->go);
	close(follow->failed);
	if (n != sizeof(error))
		return 0;
	waitpid(follow->pid, NULL, 0);
	follow->pid = 0;
	if (error == ENOENT && !strchr(command[0], '/'))
		message("%s: command not found", quoted(command[0]));
	else
		message("%s: cannot execute: %s", quoted(command[0]), strerror(error));
	return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_EXECUTE;
}

void follow_reaped(struct follow *follow, pid_t pid, int status)
{
	/* Once it has ended, another child can have its process ID. */
	if (!follow->pid || follow->ended || follow->pid != pid)
		return;
	follow->ended = true;
	follow->status = wait_status(status);
}

void follow_cancel(struct follow *follow)
{
	if (!follow->pid)
		return;
	close(follow->go);
	close(follow->failed);
	waitpid(follow->pid, NULL, 0);
	follow->pid = 0;
}
