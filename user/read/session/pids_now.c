// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "session/pids_now.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Where /proc is; all paths in it are short. */
static const char *proc;

/* What a line of /proc/PID/FILE has behind its beginning, without its newline; NULL: there is none. */
static char *line_of(uint32_t pid, const char *name, const char *beginning, char *line, size_t size)
{
	size_t length = strlen(beginning);
	char path[PATH_MAX], *found = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%u/%s", proc, pid, name);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	while (!found && fgets(line, (int)size, file))
		if (!strncmp(line, beginning, length))
			found = line + length;
	fclose(file);
	if (found)
		found[strcspn(found, "\n")] = '\0';
	return found;
}

/* Is there such a process, and is it not just a thread? */
static bool check_pid(uint32_t pid)
{
	char line[256], *text = line_of(pid, "status", "Tgid:", line, sizeof(line));
	uint32_t tgid = 0;

	if (!text) {
		message("--pid %u: no such process", pid);
		return false;
	}
	if (sscanf(text, "%u", &tgid) == 1 && tgid != pid) {
		message("--pid %u: this is a thread of process %u; use --pid %u", pid, tgid, tgid);
		return false;
	}
	return true;
}

/* The PID in its own namespace, which is the last one; 0: not known. */
static uint32_t own_pid(uint32_t pid)
{
	char line[1024], *text = line_of(pid, "status", "NSpid:", line, sizeof(line));
	const char *last = text ? strrchr(text, '\t') : NULL;
	uint32_t own = 0;

	return last && sscanf(last, "%u", &own) == 1 ? own : 0;
}

/* The inode of its PID namespace; @pid 0: of our own one. Returns 0 and sets errno. */
static uint64_t namespace_of(uint32_t pid)
{
	char path[PATH_MAX], who[16] = "self";
	struct stat st;

	if (pid)
		snprintf(who, sizeof(who), "%u", pid);
	snprintf(path, sizeof(path), "%s/%s/ns/pid", proc, who);
	return stat(path, &st) ? 0 : st.st_ino;
}

/* What was seen of the place that is asked for. */
struct place {
	const struct pid_option *option;
	struct some_pids others;
	uint32_t instead;
	size_t hidden; /* processes whose namespace it may not see */
};

static bool is_in(struct place *place, uint32_t pid)
{
	const struct pid_option *option = place->option;
	char line[4200], *text;
	uint64_t ns;

	if (option->cgroup) {
		text = line_of(pid, "cgroup", "0::", line, sizeof(line));
		return text && path_is_below(text, option->cgroup) == PROCLIFE_MATCHES;
	}
	ns = namespace_of(pid);
	place->hidden += !ns && (errno == EACCES || errno == EPERM);
	return ns == option->ns;
}

static void add(struct pids_now *now, uint32_t pid)
{
	now->all = reallocarray(now->all, now->count + 1, sizeof(*now->all));
	if (!now->all)
		die_no_memory();
	now->all[now->count++] = pid;
}

static void look_at(struct pids_now *now, struct place *place, uint32_t pid)
{
	uint32_t own;

	if (!is_in(place, pid))
		return;
	own = own_pid(pid);
	if (own != place->option->pid) {
		pids_note(&place->others, own);
		if (pid == place->option->pid)
			place->instead = own;
		return;
	}
	add(now, pid);
}

static void say_none(const struct place *place)
{
	const struct pid_option *option = place->option;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		die_no_memory();
	if (place->instead)
		fprintf(file, "process %u has PID %u in there; use --pid %u", option->pid, place->instead, option->pid);
	else if (place->others.count)
		pids_put(file, &place->others, "no process has it now; in there are ");
	else if (place->hidden)
		fputs("only root can see in which PID namespaces all processes are", file);
	else if (option->cgroup)
		fputs("no process is in this cgroup now; 'systemd-cgls' shows which there are", file);
	else
		fputs("no process has this as its own PID namespace now; 'lsns -t pid' shows which there are", file);
	if (fclose(file))
		die_no_memory();
	message("--pid %s: %s", quoted(option->text), text);
	free(text);
}

static bool find_within(struct pids_now *now, const struct pid_option *option)
{
	struct place place = { .option = option };
	struct dirent *entry;
	DIR *dir = opendir(proc);

	if (!dir) {
		message("%s: %s; --pid %s needs it", proc, strerror(errno), quoted(option->text));
		return false;
	}
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			look_at(now, &place, (uint32_t)strtoul(entry->d_name, NULL, 10));
	closedir(dir);
	if (!now->count)
		say_none(&place);
	return now->count;
}

bool pids_now_find(struct pids_now *now, const struct pid_option *option, const char *proc_dir)
{
	proc = proc_dir;
	/* We are in the initial namespace, and all processes have a PID there. */
	if (option->within && (option->cgroup || namespace_of(0) != option->ns))
		return find_within(now, option);
	if (!check_pid(option->pid))
		return false;
	add(now, option->pid);
	return true;
}
