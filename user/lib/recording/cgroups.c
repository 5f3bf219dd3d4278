// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Paths of cgroups by their ids. On this machine, an id is what name_to_handle_at(2) gives, so
 * open_by_handle_at(2) finds the folder until it is removed. A recording keeps the paths in the
 * file .cgroups, a line each: CTF readers ignore files with names that begin with a dot.
 */
#include "recording/cgroups.h"
#include "base/intern.h"
#include "base/map.h"
#include "recording/numbered.h"
#include "base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct proclife_cgroups {
	int mount; /* -1: ids cannot be looked up here */
	size_t mount_length;
	struct proclife_map paths; /* by id */
	uint64_t noted; /* the last one: mostly, the next record has the same */
	struct proclife_map ids;   /* by the address of the path: the first id with this path */
	struct proclife_intern texts;
};

/* Stands for an unknown path in the map, which cannot hold NULL. */
static const char nowhere[] = "";

int proclife_cgroups_add(struct proclife_cgroups *cgroups, uint64_t id, const char *path)
{
	if (path != nowhere)
		path = proclife_intern(&cgroups->texts, path, strlen(path));
	if (!path || proclife_map_reserve(&cgroups->paths) || proclife_map_reserve(&cgroups->ids))
		return -ENOMEM;
	proclife_map_put(&cgroups->paths, id, (void *)(uintptr_t)path);
	if (path != nowhere && !proclife_map_get(&cgroups->ids, (uintptr_t)path))
		proclife_map_put(&cgroups->ids, (uintptr_t)path, (void *)(uintptr_t)id);
	return 0;
}

/* Decodes octal escapes, such as \040 for a space, in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/*
 * Where the whole unified hierarchy is mounted. If it is not, a mount of a part of it, as
 * containers have, will do. See proc_pid_mountinfo(5).
 */
static bool find_mount(char point[PATH_MAX])
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, root[PATH_MAX], candidate[PATH_MAX];
	size_t size = 0;
	bool found = false, whole = false;

	if (!file)
		return false;
	while (!whole && getline(&line, &size, file) > 0) {
		const char *type = strstr(line, " - ");

		if (!type || strncmp(type + 3, "cgroup2 ", 8))
			continue;
		if (sscanf(line, "%*s %*s %*s %4095s %4095s", root, candidate) != 2)
			continue;
		found = true;
		whole = !strcmp(root, "/");
		strcpy(point, candidate);
	}
	free(line);
	fclose(file);
	if (found)
		unescape(point);
	return found;
}

static void open_mount(struct proclife_cgroups *cgroups)
{
	char point[PATH_MAX];

	cgroups->mount = -1;
	if (!find_mount(point))
		return;
	cgroups->mount = open(point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cgroups->mount_length = strlen(point);
}

#define FILEID_KERNFS 0xfe /* in the kernel's own <linux/exportfs.h> */

/* The folder with this id, below the mount: 0 or an error. */
static int find_path(const struct proclife_cgroups *cgroups, uint64_t id, char path[PATH_MAX])
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(id)];
	} by = { .handle = { .handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS } };
	char link[40], target[PATH_MAX];
	ssize_t length;
	int err, fd;

	memcpy(by.handle.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(cgroups->mount, &by.handle, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, target, sizeof(target) - 1);
	err = length < 0 ? -errno : length < (ssize_t)cgroups->mount_length ? -ENOENT : 0;
	close(fd);
	if (err)
		return err;
	target[length] = '\0';
	strcpy(path, target[cgroups->mount_length] ? target + cgroups->mount_length : "/");
	return 0;
}

/* Says nothing about the cgroup: ask again next time. */
static bool is_of_the_moment(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM || err == -EINTR;
}

/* Takes a line of a recording's file. */
static int take_line(void *data, uint64_t id, const char *path)
{
	struct proclife_cgroups *cgroups = data;
	const char *known;

	if (!id || path[0] != '/')
		return PROCLIFE_LINE_BAD;
	/* A second path for an id would be shown for lives that were in the first. */
	known = proclife_cgroups_path(cgroups, id);
	if (known)
		return strcmp(known, path) ? PROCLIFE_LINE_BAD : PROCLIFE_LINE_KNOWN;
	return proclife_cgroups_add(cgroups, id, path);
}

static const struct proclife_numbered kept = {
	.file = PROCLIFE_CGROUPS_FILE,
	.text = "path",
	.longest = PATH_MAX,
	.take = take_line,
};

int proclife_cgroups_new(struct proclife_cgroups **result, const char *recording,
			 struct proclife_fault *fault)
{
	struct proclife_cgroups *cgroups = calloc(1, sizeof(*cgroups));
	int err;

	proclife_fault_set(fault, "%s", "");
	if (!cgroups)
		return -ENOMEM;
	cgroups->mount = -1;
	err = proclife_map_init(&cgroups->paths);
	if (!err)
		err = proclife_map_init(&cgroups->ids);
	if (!err && recording)
		err = proclife_numbered_read(&kept, recording, cgroups, fault);
	else if (!err)
		open_mount(cgroups);
	if (err) {
		proclife_cgroups_free(cgroups);
		return err;
	}
	*result = cgroups;
	return 0;
}

static void free_paths(struct proclife_cgroups *cgroups)
{
	proclife_map_free(&cgroups->paths);
	proclife_map_free(&cgroups->ids);
	proclife_intern_free(&cgroups->texts);
}

void proclife_cgroups_free(struct proclife_cgroups *cgroups)
{
	if (!cgroups)
		return;
	if (cgroups->mount >= 0)
		close(cgroups->mount);
	free_paths(cgroups);
	free(cgroups);
}

const char *proclife_cgroups_path(struct proclife_cgroups *cgroups, uint64_t id)
{
	const char *path = proclife_map_get(&cgroups->paths, id);
	char found[PATH_MAX];

	if (!path && cgroups->mount >= 0 && id) {
		int err = find_path(cgroups, id, found);

		/* Keep failures, too: a cgroup that is gone stays so, since ids are not reused. */
		if (is_of_the_moment(err) ||
		    proclife_cgroups_add(cgroups, id, err ? nowhere : found))
			return NULL;
		path = proclife_map_get(&cgroups->paths, id);
	}
	return path && path != nowhere ? path : NULL;
}

void proclife_cgroups_note(struct proclife_cgroups *cgroups, const struct proclife_record *record)
{
	uint64_t id = proclife_cgroup_of(record);

	if (!id || id == cgroups->noted)
		return;
	cgroups->noted = id;
	proclife_cgroups_path(cgroups, id);
}

int proclife_cgroups_keep(struct proclife_cgroups *cgroups, const uint64_t *ids, size_t count)
{
	struct proclife_cgroups fewer = {
		.mount = cgroups->mount, .mount_length = cgroups->mount_length,
	};
	int err = proclife_map_init(&fewer.paths);

	if (!err)
		err = proclife_map_init(&fewer.ids);
	for (size_t i = 0; !err && i < count; i++) {
		const char *path = proclife_map_get(&cgroups->paths, ids[i]);

		if (path && !proclife_map_get(&fewer.paths, ids[i]))
			err = proclife_cgroups_add(&fewer, ids[i], path);
	}
	if (err) {
		free_paths(&fewer);
		return err;
	}
	free_paths(cgroups);
	*cgroups = fewer;
	return 0;
}

int proclife_cgroups_find(struct proclife_cgroups *cgroups, const char *path, uint64_t *id)
{
	path = proclife_intern(&cgroups->texts, path, strlen(path));
	if (!path)
		return -ENOMEM;
	*id = (uintptr_t)proclife_map_get(&cgroups->ids, (uintptr_t)path);
	return 0;
}

bool proclife_cgroups_known(const struct proclife_cgroups *cgroups, uint64_t id)
{
	return proclife_map_get(&cgroups->paths, id);
}
