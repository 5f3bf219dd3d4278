// SPDX-License-Identifier: GPL-2.0-only
/*
 * A load that stays: its maps, programs and links are pinned in a folder of bpffs. The header comes last, so that a
 * reader finds all or nothing; and goes first.
 */
#include "origin/bpf_pins.h"
#include "origin/bpf_why.h"
#include "output/message.h"
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <proclife/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define BPFFS "/sys/fs/bpf"
#define BPFFS_MAGIC 0xcafe4a11

static bool is_bpffs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (unsigned long)fs.f_type == BPFFS_MAGIC;
}

static int fail(char why[BPF_WHY], const char *path)
{
	int error = errno;

	snprintf(why, BPF_WHY, "%.300s: %s%s", path, strerror(error),
		 (error == EACCES || error == EPERM) && geteuid() ? "; run as root" : "");
	return -error;
}

/* systemd mounts it; an initramfs may not. */
static int mount_bpffs(char why[BPF_WHY])
{
	if (is_bpffs(BPFFS))
		return 0;
	if (access(BPFFS, F_OK) && mkdir(BPFFS, 0700) && errno != EEXIST)
		return fail(why, BPFFS);
	return mount("bpf", BPFFS, "bpf", 0, "mode=0700") ? fail(why, BPFFS) : 0;
}

/* Only root can open the first, and hold it. Where there is no /run, as in an initramfs, nobody else is expected. */
static int open_lock(char why[BPF_WHY])
{
	static const char path[] = "/run/proclife.lock", other[] = "/sys/fs";
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0)
		return fd;
	if (errno != ENOENT && errno != EROFS)
		return fail(why, path);
	fd = open(other, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? fail(why, other) : fd;
}

/*
 * One at a time mounts bpffs, and makes or removes pins. Returns a descriptor that holds the lock, or a negative errno.
 */
static int lock(char why[BPF_WHY])
{
	int fd = open_lock(why), err;

	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	message("another proclife-read loads or removes BPF programs: waiting for it");
	while (flock(fd, LOCK_EX)) {
		if (errno == EINTR)
			continue;
		err = fail(why, "the lock of loads");
		close(fd);
		return err;
	}
	return fd;
}

/* What openat(2) and unlinkat(2) take for @path where its folder is open as @parent. */
static const char *name_in(int parent, const char *path)
{
	return parent == AT_FDCWD ? path : strrchr(path, '/') + 1;
}

/*
 * Opens a folder of pins. In a bpffs that was mounted without options, anybody can have made what is there: a link
 * into another file system, or a folder in which files come and go.
 */
static int open_folder(int parent, const char *path, char why[BPF_WHY])
{
	int fd = openat(parent, name_in(parent, path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct statfs fs;
	struct stat st;

	if (fd < 0 && errno != ELOOP && errno != ENOTDIR)
		return fail(why, path);
	if (fd >= 0 && !fstatfs(fd, &fs) && (unsigned long)fs.f_type == BPFFS_MAGIC && !fstat(fd, &st) &&
	    (!st.st_uid || st.st_uid == geteuid()) && !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	if (fd >= 0)
		close(fd);
	snprintf(why, BPF_WHY, BPF_NOT_OURS);
	return -EPERM;
}

/* Takes over @fd. */
static int remove_all_in(int fd, const char *path, char why[BPF_WHY])
{
	struct dirent *entry;
	DIR *folder = fdopendir(fd);
	char name[512];
	int err = 0;

	if (!folder) {
		err = fail(why, path);
		close(fd);
		return err;
	}
	while (!err && (entry = readdir(folder))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (unlinkat(dirfd(folder), entry->d_name, 0) && errno != EISDIR && errno != EPERM)
			err = fail(why, name);
	}
	closedir(folder);
	return err;
}

static int remove_folder(int parent, const char *path, char why[BPF_WHY])
{
	int fd = open_folder(parent, path, why), err;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	err = remove_all_in(fd, path, why);
	if (err || !unlinkat(parent, name_in(parent, path), AT_REMOVEDIR) || errno == ENOENT)
		return err;
	if (errno != ENOTEMPTY)
		return fail(why, path);
	snprintf(why, BPF_WHY, "%s: something is in it that proclife did not make: remove that, then --unload again", path);
	return -ENOTEMPTY;
}

/* -ENOENT: nothing was pinned. */
static int remove_pins(char why[BPF_WHY])
{
	static const char *const folders[] = {
		PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_LINKS,
		PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_PROGRAMS,
		PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_CPUS,
	};
	int err = 0, fd = open_folder(AT_FDCWD, PROCLIFE_BPF_FOLDER, why);
	unsigned int i;

	if (fd < 0)
		return fd;
	unlinkat(fd, PROCLIFE_BPF_HEADER, 0);
	for (i = 0; !err && i < sizeof(folders) / sizeof(*folders); i++)
		err = remove_folder(fd, folders[i], why);
	close(fd);
	return err ? err : remove_folder(AT_FDCWD, PROCLIFE_BPF_FOLDER, why);
}

static int pin_rings(const struct bpf_load *load, char why[BPF_WHY])
{
	const struct proclife_bpf *all = bpf_descriptors(load);
	char path[256];
	uint32_t cpu;

	for (cpu = 0; cpu < all->cpus; cpu++) {
		if (all->rings[cpu] < 0)
			continue;
		snprintf(path, sizeof(path), PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_CPUS "/%u", cpu);
		if (bpf_obj_pin(all->rings[cpu], path))
			return fail(why, path);
	}
	return 0;
}

static int pin_all(const struct bpf_load *load, char why[BPF_WHY])
{
	struct bpf_pin pin;
	unsigned int i;
	char path[256];

	for (i = 0; bpf_load_pin(load, i, &pin); i++) {
		snprintf(path, sizeof(path), PROCLIFE_BPF_FOLDER "/%s", pin.name);
		if (pin.fd >= 0 && bpf_obj_pin(pin.fd, path)) /* there need not be an iterator */
			return fail(why, path);
	}
	return 0;
}

static int pin_load(const struct bpf_load *load, char why[BPF_WHY])
{
	static const char *const folders[] = {
		PROCLIFE_BPF_FOLDER,
		PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_LINKS,
		PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_PROGRAMS,
		PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_CPUS,
	};
	char ignored[BPF_WHY];
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < sizeof(folders) / sizeof(*folders); i++)
		err = mkdir(folders[i], 0700) ? fail(why, folders[i]) : 0;
	if (!err)
		err = pin_rings(load, why);
	if (!err)
		err = pin_all(load, why);
	if (err)
		remove_pins(ignored);
	return err;
}

/* It keeps its history, and what it has, which can be what this version mended. */
static void note_version(const struct proclife_header *header)
{
	if (strncmp(header->version, PROCLIFE_VERSION, sizeof(header->version)))
		message(PROCLIFE_BPF_FOLDER ": pinned by version %.15s; --unload first to replace it", header->version);
}

/*
 * 1: there is a load. 0: there is none that this program could read. Those who read one that is replaced go on with it. A
 * negative errno: there may be one.
 */
static int find_load(char why[BPF_WHY])
{
	struct proclife_source *source;
	int err = proclife_bpf_open_pinned(&source, NULL);

	switch (err) {
	case 0:
		note_version(proclife_source_header(source));
		proclife_source_free(source);
		return 1;
	case -ENOENT:
		return 0;
	case -EPROTO:
		message(PROCLIFE_BPF_FOLDER ": pinned by another version of this program: replacing it");
		return 0;
	case -EUCLEAN:
		message(PROCLIFE_BPF_FOLDER ": some pins are missing: replacing the others");
		return 0;
	case -EPERM:
		snprintf(why, BPF_WHY, BPF_NOT_OURS);
		return err;
	default:
		errno = -err;
		return fail(why, PROCLIFE_BPF_FOLDER);
	}
}

static int load_and_pin(const struct source_options *wishes, char why[BPF_WHY])
{
	struct bpf_load *load;
	int err;

	err = remove_pins(why); /* what a loader that was killed has left */
	if (err && err != -ENOENT)
		return err;
	err = bpf_load(&load, wishes, why);
	if (err)
		return err;
	err = pin_load(load, why);
	bpf_load_free(load);
	return err;
}

int bpf_pin(const struct source_options *wishes, char why[BPF_WHY])
{
	int fd = lock(why), err;

	if (fd < 0)
		return fd;
	err = mount_bpffs(why);
	if (!err)
		err = find_load(why);
	if (!err)
		err = load_and_pin(wishes, why);
	close(fd);
	return err;
}

int bpf_unpin(char why[BPF_WHY])
{
	int err, fd;

	if (access(PROCLIFE_BPF_FOLDER, F_OK))
		return errno == ENOENT ? -ENOENT : fail(why, PROCLIFE_BPF_FOLDER);
	fd = lock(why);
	if (fd < 0)
		return fd;
	err = remove_pins(why);
	close(fd);
	return err;
}
