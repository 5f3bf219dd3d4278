// SPDX-License-Identifier: GPL-2.0-only
/*
 * storm FILE: forks as fast as it can, as long as the file is there. Every seventh child fails, and every
 * hundredth child runs a program.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: storm FILE\n", stderr);
		return 129;
	}
	for (unsigned int n = 0; !access(argv[1], F_OK); n++) {
		pid_t pid = fork();

		if (!pid && n % 100 == 99) {
			execl("/bin/true", "true", "an argument of", argv[1], (char *)0);
			_exit(127);
		}
		if (!pid)
			_exit(n % 7 ? 0 : 3);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid) {
			perror("storm");
			return 1;
		}
	}
	return 0;
}
