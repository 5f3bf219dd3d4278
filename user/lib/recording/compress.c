// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compressing a whole recording, once it has ended. */
#include "base/files.h"
#include "base/secure_dir.h"
#include "recording/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0: none of them is compressed. */
static uint64_t bytes_of_streams(int dir)
{
	DIR *list = proclife_list(dir, ".");
	struct dirent *entry;
	bool compressed = false;
	uint64_t bytes = 0;

	while (list && (entry = readdir(list))) {
		struct stat st;
		uint32_t cpu;

		if (!proclife_ctf_cpu_of_file(entry->d_name, &cpu) ||
		    fstatat(dirfd(list), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		bytes += (uint64_t)st.st_size;
		compressed |= !proclife_ctf_cpu(entry->d_name, &cpu);
	}
	if (list)
		closedir(list);
	return compressed ? bytes : 0;
}

/* It has to be the caller's: where others can write, they could exchange it for another recording. */
static int check_owner(const struct proclife_folder *folder, const char *path)
{
	struct stat safe, opened;
	int dir = proclife_secure_folder(path), err = 0;

	if (dir < 0)
		return dir;
	if (fstat(dir, &safe) || fstat(folder->dir, &opened))
		err = -errno;
	else if (safe.st_ino != opened.st_ino || safe.st_dev != opened.st_dev)
		err = -EPERM;
	close(dir);
	return err;
}

static int check(const struct proclife_folder *folder, const char *path, struct proclife_fault *fault)
{
	const struct proclife_run_info *run = &folder->metadata.run;
	int err = check_owner(folder, path);

	if (err) {
		proclife_fault_at(fault, path, NULL, "%s", err == -EPERM ?
				  "it belongs to another user, or others can write in it; compress a slice of it" :
				  proclife_strerror(-err));
		return err;
	}
	/* Some file systems have no locks. A slice has no recorder that could still be at work. */
	if (!run->complete && !proclife_is_slice(run)) {
		proclife_fault_at(fault, path, NULL, run->running ?
				  "its recorder is at work; compress it once that has ended" :
				  "it is not complete; compress a slice of it");
		return -EBUSY;
	}
	return 0;
}

int proclife_recording_compress(const char *path, bool (*stop)(void *data), void *data, uint64_t *bytes,
				struct proclife_fault *fault)
{
	struct proclife_folder folder;
	int err = proclife_folder_open(&folder, path, fault);

	if (!err)
		err = proclife_folder_metadata(&folder, fault);
	if (!err)
		err = check(&folder, path, fault);
	if (!err) {
		err = proclife_frames_write(folder.dir, stop, data, path, fault);
		*bytes = err ? 0 : bytes_of_streams(folder.dir);
	}
	proclife_folder_close(&folder);
	return err;
}
