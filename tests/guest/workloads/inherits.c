// SPDX-License-Identifier: GPL-2.0-only
/*
 * inherits strange COMMAND...: changes all that a child inherits, as far as it may, and executes COMMAND.
 * inherits tell FILE: writes what it was executed with, a line each.
 *
 * A program between the two must change no line.
 */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void write_to(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return;
	fputs(text, file);
	fclose(file);
}

/* Ignores what a machine or its containers do not let us change: both sides have the same. */
static void be_strange(void)
{
	static const int ignored[] = { SIGPIPE, SIGCHLD, SIGUSR2, SIGQUIT };
	static const int blocked[] = { SIGUSR1, SIGCHLD, SIGALRM };
	struct sched_param param = { 0 };
	uint64_t kernels_own = UINT64_C(1) << (33 - 1); /* glibc does not let programs name it */
	struct rlimit limit;
	cpu_set_t cpus;
	sigset_t set;
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGRTMIN + 3, SIG_IGN);
	sigemptyset(&set);
	for (i = 0; i < sizeof(blocked) / sizeof(blocked[0]); i++)
		sigaddset(&set, blocked[i]);
	sigaddset(&set, SIGRTMAX);
	sigprocmask(SIG_BLOCK, &set, NULL);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &kernels_own, NULL, sizeof(kernels_own));

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max < 200 ? limit.rlim_max : 200;
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_CORE, &limit);
	limit.rlim_cur = limit.rlim_max = 0;
	setrlimit(RLIMIT_CORE, &limit);
	umask(027);
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 3);
	sched_setscheduler(0, SCHED_BATCH, &param);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (i = CPU_SETSIZE - 1; CPU_COUNT(&cpus) > 1; i--) /* the first one stays */
		CPU_CLR(i, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 6); /* of this process: best effort, the last but one */
	personality(ADDR_NO_RANDOMIZE);
	write_to("/proc/self/oom_score_adj", "321");
	write_to("/proc/self/coredump_filter", "0x11");
	prctl(PR_SET_TIMERSLACK, 77777);
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	prctl(PR_CAPBSET_DROP, 25); /* CAP_SYS_TIME */
	prctl(PR_SET_SECUREBITS, 1 << 6); /* SECBIT_NO_CAP_AMBIENT_RAISE */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	setenv("STRANGE", "a=b \x01\xff", 1);
	if (chdir("/usr"))
		warn("/usr");
	dup2(open("/etc/passwd", O_RDONLY), 9);
	dup2(open("/", O_RDONLY | O_DIRECTORY), 11);
	close(STDIN_FILENO);
}

/* Lines of it that differ from one run to the next. */
static bool is_of_run(const char *line)
{
	static const char *const of_run[] = {
		"Name:", "State:", "Tgid:", "Ngid:", "Pid:", "PPid:", "FDSize:", "NStgid:", "NSpid:", "Vm", "Rss",
		"HugetlbPages:", "SigQ:", "voluntary_", "nonvoluntary_", "pos:", "ino:",
	};
	size_t i;

	for (i = 0; i < sizeof(of_run) / sizeof(of_run[0]); i++)
		if (!strncmp(line, of_run[i], strlen(of_run[i])))
			return true;
	return false;
}

static void tell_file(FILE *out, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[4096];

	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		if (!is_of_run(line))
			fprintf(out, "%s: %s%s", path, line, strchr(line, '\n') ? "" : "\n");
	fclose(file);
}

/* Writes all open files but our own. */
static void tell_files(FILE *out)
{
	char path[64], target[4096];
	int fd;

	for (fd = 0; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD);
		ssize_t n;

		if (flags < 0 || flags & FD_CLOEXEC)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, target, sizeof(target) - 1);
		target[n < 0 ? 0 : n] = '\0';
		target[strcspn(target, "[")] = '\0'; /* the number of a pipe */
		fprintf(out, "%s: %s\n", path, target);
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		tell_file(out, path);
	}
}

static void tell_stat(FILE *out)
{
	static const struct {
		int field; /* counted from 1 */
		const char *name;
	} fields[] = {
		{ 5, "pgrp" }, { 6, "session" }, { 7, "tty" }, { 8, "tpgid" }, { 18, "priority" }, { 19, "nice" },
		{ 20, "threads" }, { 38, "exit_signal" }, { 40, "rt_priority" }, { 41, "policy" },
	};
	char line[4096] = "", *word;
	FILE *file = fopen("/proc/self/stat", "re");
	int field = 2;
	size_t i = 0;

	if (!file || !fgets(line, sizeof(line), file))
		err(1, "/proc/self/stat");
	fclose(file);
	for (word = strtok(strrchr(line, ')') + 1, " "); word && i < sizeof(fields) / sizeof(fields[0]);
	     word = strtok(NULL, " "))
		if (++field == fields[i].field)
			fprintf(out, "stat: %s: %s\n", fields[i++].name, word);
}

static void tell_rest(FILE *out)
{
	int n = -1;

#define TELL(option) fprintf(out, #option ": %d\n", prctl(option, 0, 0, 0, 0))
	TELL(PR_GET_DUMPABLE);
	TELL(PR_GET_KEEPCAPS);
	TELL(PR_MCE_KILL_GET);
	TELL(PR_GET_NO_NEW_PRIVS);
	TELL(PR_GET_SECUREBITS);
	TELL(PR_GET_THP_DISABLE);
	TELL(PR_GET_TIMERSLACK);
	TELL(PR_GET_TIMING);
#undef TELL
	prctl(PR_GET_PDEATHSIG, &n);
	fprintf(out, "PR_GET_PDEATHSIG: %d\n", n);
	prctl(PR_GET_CHILD_SUBREAPER, &n);
	fprintf(out, "PR_GET_CHILD_SUBREAPER: %d\n", n);
	fprintf(out, "ioprio: %ld\n", syscall(SYS_ioprio_get, 1, 0));
	fprintf(out, "umask: %o\n", umask(0));
}

static void tell_link(FILE *out, const char *path)
{
	char target[4096];
	ssize_t n = readlink(path, target, sizeof(target));

	if (n > 0)
		fprintf(out, "%s: %.*s\n", path, (int)n, target);
}

static void tell_namespaces(FILE *out)
{
	DIR *dir = opendir("/proc/self/ns");
	char path[300];

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		snprintf(path, sizeof(path), "/proc/self/ns/%s", entry->d_name);
		tell_link(out, path);
	}
	if (dir)
		closedir(dir);
}

/* False for variables that are set for the command or by a shell, not by the caller. */
static bool is_told(const char *variable)
{
	return strncmp(variable, "PROCLIFE_", 9) && strncmp(variable, "_=", 2) && strncmp(variable, "PWD=", 4) &&
	       strncmp(variable, "OLDPWD=", 7) && strncmp(variable, "SHLVL=", 6) &&
	       strncmp(variable, "MODPROBE_MODULE=", 16);
}

static void tell(const char *path)
{
	static const char *const files[] = {
		"/proc/self/status", "/proc/self/limits", "/proc/self/oom_score_adj", "/proc/self/timerslack_ns",
		"/proc/self/coredump_filter", "/proc/self/personality", "/proc/self/loginuid", "/proc/self/sessionid",
		"/proc/self/cgroup", "/proc/self/attr/current", "/proc/self/uid_map",
	};
	FILE *out = fopen(path, "we");
	size_t i;

	if (!out)
		err(1, "%s", path);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		tell_file(out, files[i]);
	tell_stat(out);
	tell_files(out);
	tell_link(out, "/proc/self/cwd");
	tell_link(out, "/proc/self/root");
	tell_namespaces(out);
	tell_rest(out);
	for (i = 0; environ[i]; i++)
		if (is_told(environ[i]))
			fprintf(out, "environ: %s\n", environ[i]);
	if (fclose(out))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "tell")) {
		tell(argv[2]);
		return 0;
	}
	if (argc < 3 || strcmp(argv[1], "strange"))
		errx(2, "usage: inherits strange COMMAND... | tell FILE");
	be_strange();
	execvp(argv[2], argv + 2);
	err(127, "%s", argv[2]);
}
