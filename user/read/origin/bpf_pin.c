// SPDX-License-Identifier: GPL-2.0-only
/*
 * A load that stays: its maps, programs and links are pinned in a folder of bpffs. The header comes last, so that a
 * reader finds all or nothing; and goes first.
 */
#include "origin/bpf_pins.h"
#include "origin/bpf_why.h"
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <proclife/bpf.h>
#include <stdio.h>
#include <string.h>
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

static int make_folder(const char *path, char why[BPF_WHY])
{
	return mkdir(path, 0700) ? fail(why, path) : 0;
}

static int remove_all_in(const char *path, char why[BPF_WHY])
{
	char name[512];
	struct dirent *entry;
	DIR *folder = opendir(path);
	int err = 0;

	if (!folder)
		return errno == ENOENT ? 0 : fail(why, path);
	while (!err && (entry = readdir(folder))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (unlink(name) && errno != EISDIR && errno != EPERM)
			err = fail(why, name);
	}
	closedir(folder);
	return err;
}

int bpf_unpin(char why[BPF_WHY])
{
	static const char *const folders[] = {
		PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_LINKS,
		PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_PROGRAMS,
		PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_CPUS,
		PROCLIFE_BPF_FOLDER,
	};
	unsigned int i;
	int err;

	if (access(PROCLIFE_BPF_FOLDER, F_OK))
		return errno == ENOENT ? -ENOENT : fail(why, PROCLIFE_BPF_FOLDER);
	unlink(PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_HEADER);
	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		err = remove_all_in(folders[i], why);
		if (err)
			return err;
		if (rmdir(folders[i]) && errno != ENOENT)
			return fail(why, folders[i]);
	}
	return 0;
}

/* Each CPU's, since only CAP_SYS_ADMIN gets from the map of all to these. */
static int pin_rings(const struct bpf_load *load, char why[BPF_WHY])
{
	char path[256];
	uint32_t cpu;

	for (cpu = 0;; cpu++) {
		int fd = bpf_load_rings(load, cpu), err;

		if (fd == -ERANGE)
			return 0;
		if (fd == -ENOENT)
			continue;
		snprintf(path, sizeof(path), PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_CPUS "/%u", cpu);
		err = fd < 0 || bpf_obj_pin(fd, path) ? fail(why, path) : 0;
		if (fd >= 0)
			close(fd);
		if (err)
			return err;
	}
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

int bpf_pin(const struct bpf_load *load, char why[BPF_WHY])
{
	char ignored[BPF_WHY];
	int err = mount_bpffs(why);

	if (!err)
		err = make_folder(PROCLIFE_BPF_FOLDER, why);
	if (err)
		return err;
	err = make_folder(PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_LINKS, why);
	if (!err)
		err = make_folder(PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_PROGRAMS, why);
	if (!err)
		err = make_folder(PROCLIFE_BPF_FOLDER "/" PROCLIFE_BPF_CPUS, why);
	if (!err)
		err = pin_rings(load, why);
	if (!err)
		err = pin_all(load, why);
	if (err)
		bpf_unpin(ignored);
	return err;
}
