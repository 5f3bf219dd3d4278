// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recording/frames.h"
#include "recording/ctf.h"
#include "base/files.h"
#include "base/plain.h"
#include "base/secure_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define LEVEL 1
#define BLOCK 4096u /* of a disk: a file as small as this would not become smaller */

struct writer {
	ZSTD_CCtx *zstd;
	int dir;
	const char *folder; /* its name, for the fault, which can be NULL */
	struct proclife_fault *fault;
	bool (*stop)(void *data);
	void *data;
	int from;
	int to;
	uint64_t at;	 /* in the plain file... */
	uint64_t offset; /* ... and in the other one */
	uint64_t size;	 /* of the plain file */
	char plain[PROCLIFE_FRAME];
	struct {
		struct proclife_frame_head head;
		char bytes[PROCLIFE_FRAME_PACKED];
	} packed;
};

_Static_assert(PROCLIFE_FRAME_PACKED >= ZSTD_COMPRESSBOUND(PROCLIFE_FRAME), "any frame fits");

/* 1: it is written; 0: the file would become too large; or a negative errno. */
static int write_frame(struct writer *writer, uint32_t plain)
{
	struct proclife_frame_head *head = &writer->packed.head;
	size_t n = ZSTD_compress2(writer->zstd, writer->packed.bytes, sizeof(writer->packed.bytes),
				  writer->plain, plain);
	uint64_t end = writer->offset + sizeof(*head) + n;
	int err;

	if (ZSTD_isError(n))
		return -ENOMEM; /* the room is enough */
	if (end > writer->size / 2)
		return 0;
	*head = (struct proclife_frame_head){
		.magic = PROCLIFE_FRAME_MAGIC,
		.size = sizeof(*head) - offsetof(struct proclife_frame_head, packed),
		.packed = (uint32_t)n,
		.plain = plain,
		.at = writer->at,
	};
	head->check = proclife_frame_check(head);
	err = proclife_write_all(writer->to, &writer->packed, sizeof(*head) + n, writer->offset);
	writer->at += plain;
	writer->offset = end;
	return err ? err : 1;
}

/* As write_frame(). */
static int write_frames(struct writer *writer)
{
	writer->at = 0;
	writer->offset = 0;
	while (writer->at < writer->size) {
		uint64_t left = writer->size - writer->at;
		uint32_t plain = left < PROCLIFE_FRAME ? (uint32_t)left : PROCLIFE_FRAME;
		int ret = proclife_read_all(writer->from, writer->plain, plain, writer->at);

		if (!ret)
			ret = write_frame(writer, plain);
		if (ret <= 0)
			return ret;
		if (writer->stop && writer->stop(writer->data))
			return -ECANCELED;
	}
	return fdatasync(writer->to) ? -errno : 1;
}

/* This one is for the same readers as the plain file. */
static int keep_owner(const struct writer *writer, const struct stat *st)
{
	if (st->st_uid != geteuid() && fchown(writer->to, st->st_uid, st->st_gid))
		return -errno;
	return fchmod(writer->to, st->st_mode & 0777) ? -errno : 0;
}

/* The old one goes last: there is always one that is whole. */
static int replace(struct writer *writer, const char *name, const struct stat *st)
{
	char compressed[PROCLIFE_CTF_FILE];
	int ret;

	writer->to = proclife_secure_file(writer->dir, PROCLIFE_FRAMES_DRAFT);
	if (writer->to < 0)
		return writer->to;
	ret = keep_owner(writer, st);
	if (!ret)
		ret = write_frames(writer);
	if (close(writer->to) && errno != EINTR && ret > 0)
		ret = -errno;
	proclife_ctf_compressed_name(compressed, name);
	if (ret > 0 && renameat(writer->dir, PROCLIFE_FRAMES_DRAFT, writer->dir, compressed))
		ret = -errno;
	if (ret <= 0)
		unlinkat(writer->dir, PROCLIFE_FRAMES_DRAFT, 0);
	else if (unlinkat(writer->dir, name, 0))
		ret = -errno;
	return ret < 0 ? ret : 0;
}

static int replace_stream(struct writer *writer, const char *name)
{
	struct stat st;
	int err = 0;

	writer->from = proclife_plain_open(writer->dir, writer->folder, name, &st, writer->fault);
	if (writer->from == -ENOEXEC) /* no plain file: nothing that a recorder has written */
		return 0;
	if (writer->from < 0)
		return writer->from;
	writer->size = (uint64_t)st.st_size;
	if (writer->size > BLOCK)
		err = replace(writer, name, &st);
	close(writer->from);
	if (err && err != -ECANCELED && err != -ENOMEM)
		proclife_fault_at(writer->fault, writer->folder, name, "cannot compress: %s%s; it stays as it is, and the recording is whole",
				  proclife_strerror(-err), proclife_remedy(-err));
	return err;
}

static bool make_context(struct writer *writer)
{
	writer->zstd = ZSTD_createCCtx();
	return writer->zstd &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, LEVEL)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1));
}

/* What is added to the folder meanwhile may be listed or not: it is no stream's name. */
static int replace_all(struct writer *writer, DIR *list)
{
	int err = 0;

	while (!err) {
		struct dirent *entry;
		uint32_t cpu;

		errno = 0;
		entry = readdir(list);
		if (!entry && errno) {
			err = -errno;
			proclife_fault_at(writer->fault, writer->folder, NULL, "cannot list it: %s%s",
					  proclife_strerror(-err), proclife_remedy(-err));
		}
		if (!entry)
			break;
		if (proclife_ctf_cpu(entry->d_name, &cpu))
			err = replace_stream(writer, entry->d_name);
	}
	return err;
}

int proclife_frames_write(int dir, bool (*stop)(void *data), void *data, const char *folder,
			  struct proclife_fault *fault)
{
	struct writer *writer = malloc(sizeof(*writer));
	DIR *list;
	int err;

	if (!writer)
		return -ENOMEM;
	writer->folder = folder;
	writer->fault = fault;
	writer->stop = stop;
	writer->data = data;
	list = proclife_list(dir, ".");
	if (!list) {
		err = -errno;
		proclife_fault_at(fault, folder, NULL, "cannot list it: %s%s", proclife_strerror(-err),
				  proclife_remedy(-err));
		goto free_writer;
	}
	writer->dir = dirfd(list);
	if (flock(writer->dir, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		err = -EBUSY;
		proclife_fault_at(fault, folder, NULL, "it is being compressed already; wait until that has ended");
		goto close_list;
	}
	err = make_context(writer) ? replace_all(writer, list) : -ENOMEM;
	ZSTD_freeCCtx(writer->zstd);
close_list:
	closedir(list);
free_writer:
	free(writer);
	return err;
}
