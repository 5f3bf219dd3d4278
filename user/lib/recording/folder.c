// SPDX-License-Identifier: LGPL-2.1-or-later
/* A folder with a recording, or a part of one: its metadata, and its streams. */
#include "recording/folder.h"
#include "base/files.h"
#include "base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is the recorder at work? It holds a lock, which ends with its process in any case. */
static bool is_locked(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type == F_WRLCK;
}

/* Has the recorder finished since this was opened, and replaced the text by another one? */
static bool is_replaced(const struct proclife_folder *folder, int fd)
{
	struct stat now, then;

	return !fstatat(folder->dir, "metadata", &now, 0) && !fstat(fd, &then) &&
	       (now.st_ino != then.st_ino || now.st_dev != then.st_dev);
}

static int parse_metadata(struct proclife_folder *folder, int fd, struct proclife_fault *fault)
{
	struct proclife_fault why = { .text = "" };
	size_t size = 0;
	int err = 0;
	char *text;

	text = malloc(PROCLIFE_CTF_METADATA_MAX);
	while (text && size < PROCLIFE_CTF_METADATA_MAX) {
		ssize_t n = read(fd, text + size, PROCLIFE_CTF_METADATA_MAX - size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = -errno;
		if (n <= 0)
			break;
		size += (size_t)n;
	}
	if (!text)
		return -ENOMEM;
	if (err) {
		proclife_fault_set(&why, "%s", proclife_strerror(-err));
	} else if (size == PROCLIFE_CTF_METADATA_MAX) {
		proclife_fault_set(&why, "too large to be written by proclife-read --record");
		err = -ENOEXEC;
	} else {
		free(folder->metadata.totals);
		proclife_daytime_free(&folder->metadata.daytime);
		proclife_daytime_free(&folder->metadata.boottime);
		err = proclife_metadata_parse(&folder->metadata, text, size, &why);
	}
	free(text);
	if (err && err != -ENOMEM) /* which is no fault of the text */
		proclife_fault_at(fault, folder->path, "metadata", "%s%s%s",
				  err == -ENOEXEC ? "not a recording: " :
				  err == -EBADMSG ? "damaged: " : "", why.text,
				  err == -EBADMSG ? "; copy the recording again from where it was made" : "");
	return err;
}

#define METADATA_TRIES 8 /* a recorder replaces it once */

int proclife_folder_metadata(struct proclife_folder *folder, struct proclife_fault *fault)
{
	unsigned int tries = METADATA_TRIES;
	bool again;
	struct stat st;
	int err, fd;

	if (faccessat(folder->dir, "metadata", F_OK, 0) && errno == ENOENT) {
		proclife_fault_at(fault, folder->path, NULL,
				  "not a recording: there is no metadata in this folder; name one that proclife-read --record made");
		return -ENOEXEC;
	}
	do {
		fd = proclife_plain_open(folder->dir, folder->path, "metadata", &st, fault);
		if (fd < 0)
			return fd;
		folder->locked = is_locked(fd); /* first, so that the text is no older than this */
		err = parse_metadata(folder, fd, fault);
		again = !err && !folder->locked && !folder->metadata.run.complete &&
			is_replaced(folder, fd);
		close(fd);
	} while (again && --tries);
	if (again) {
		proclife_fault_at(fault, folder->path, "metadata", "replaced again and again while it is read, which no recorder does; try again when nothing writes to this folder");
		return -EBUSY;
	}
	folder->metadata.run.running = folder->locked && !folder->metadata.run.complete;
	return err;
}

/* Is this error about the one file only? Then the other files can be read. */
static bool is_of_the_file(int err)
{
	return err == -EACCES || err == -EPERM || err == -ENOENT || err == -ENXIO ||
	       err == -ENOEXEC || err == -EAGAIN;
}

/* The compressed file, which replaces the plain one while a recorder is at work. -ENOENT: it is not there. */
static int open_frames(struct proclife_folder *folder, struct proclife_ctf_reader *reader, struct stat *st,
		       struct proclife_fault *fault)
{
	char name[PROCLIFE_CTF_FILE];
	struct proclife_ctf_file *file = &reader->file;
	uint64_t plain;
	int err, fd;

	proclife_ctf_compressed_name(name, reader->name);
	fd = proclife_plain_open(folder->dir, folder->path, name, st, fault);
	if (fd < 0)
		return fd;
	if (!folder->unpacker)
		folder->unpacker = proclife_unpacker_new();
	err = folder->unpacker ? proclife_frames_open(&file->frames, folder->unpacker, fd, (uint64_t)st->st_size,
						      &plain) : -ENOMEM;
	if (!err && !plain && st->st_size) {
		proclife_fault_at(fault, folder->path, name, "compressed by another program, which has to uncompress it");
		proclife_frames_free(file->frames);
		file->frames = NULL;
		err = -ENOEXEC;
	}
	if (err) {
		close(fd);
		return err;
	}
	st->st_size = (off_t)plain;
	return fd;
}

/*
 * The plain file is too short: zstd(1) was interrupted when it made that of the compressed one, which is still there?
 * Returns that one's descriptor, @fd, or -ENOMEM.
 */
static int open_longer(struct proclife_folder *folder, struct proclife_ctf_reader *reader, int fd, struct stat *st,
		       struct proclife_fault *fault)
{
	struct stat other;
	int packed = open_frames(folder, reader, &other, fault);

	if (packed < 0 && packed != -ENOMEM) {
		fault->text[0] = '\0';
		return fd;
	}
	close(fd);
	*st = other;
	return packed;
}

static int open_stream(struct proclife_folder *folder, struct proclife_ctf_reader *reader,
		       struct proclife_fault *fault)
{
	struct stat st;
	int fd = proclife_plain_open(folder->dir, folder->path, reader->name, &st, fault);

	if (fd == -ENOENT)
		fd = open_frames(folder, reader, &st, fault);
	else if (fd >= 0 && reader->known.total && (uint64_t)st.st_size < reader->known.total->bytes)
		fd = open_longer(folder, reader, fd, &st, fault);
	if (is_of_the_file(fd)) {
		proclife_ctf_reader_absent(reader, fd == -ENOENT ? "it is missing" :
							       fault->text);
		fault->text[0] = '\0';
		return 0;
	}
	if (fd < 0)
		return fd;
	reader->file.fd = fd;
	reader->file.bytes = (uint64_t)st.st_size;
	reader->records = malloc(PROCLIFE_CTF_RECORDS * sizeof(*reader->records));
	if (!reader->records)
		return -ENOMEM;
	reader->next = reader->records;
	reader->end = reader->records;
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

static int add_stream(struct proclife_folder *folder, uint32_t cpu, struct proclife_merge *merge,
		      struct proclife_fault *fault)
{
	const struct proclife_metadata *metadata = &folder->metadata;
	struct proclife_ctf_reader *reader;
	void *readers;
	int err = 0;

	if (cpu == PROCLIFE_CPU_SNAPSHOT && folder->since)
		return 0; /* the part before has it */
	readers = realloc(folder->readers, (folder->count + 1) * sizeof(*folder->readers));
	if (!readers)
		return -ENOMEM;
	folder->readers = readers;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	folder->readers[folder->count++] = reader;
	reader->file.fd = -1;
	reader->known = (struct proclife_ctf_known){
		.metadata = metadata,
		.total = proclife_metadata_total(metadata, cpu),
		.types = metadata->header.features | PROCLIFE_KNOWN_TYPES,
		.since = folder->since,
		.cpu = cpu,
		.cpus = cpu == PROCLIFE_CPU_SNAPSHOT ? metadata->header.cpus : 0,
	};
	reader->stream.order = cpu;
	reader->stream.refill = proclife_ctf_reader_refill;
	proclife_ctf_name(reader->name, cpu);
	memcpy(reader->damage.stream, reader->name, sizeof(reader->name));
	if (metadata->run.complete && metadata->counted && !reader->known.total)
		proclife_ctf_reader_absent(reader, "it is no part of this recording");
	else
		err = open_stream(folder, reader, fault);
	return err ? err : proclife_merge_add(merge, &reader->stream);
}

static bool is_added(const struct proclife_merge *merge, uint32_t cpu)
{
	uint32_t from = 0, to = merge->count;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (merge->streams[middle]->order < cpu)
			from = middle + 1;
		else
			to = middle;
	}
	return from < merge->count && merge->streams[from]->order == cpu;
}

/* Adds the files with the names of streams. Other files are not ours. */
static int add_tapes(struct proclife_folder *folder, struct proclife_merge *merge,
		     struct proclife_fault *fault)
{
	DIR *dir = proclife_list(folder->dir, ".");
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err) {
		uint32_t cpu;

		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			err = -errno;
			break;
		}
		/* While a file is replaced, both have been there, or neither: see add_missing(). */
		if (proclife_ctf_cpu_of_file(entry->d_name, &cpu) && proclife_ctf_has(&folder->metadata, cpu) &&
		    !is_added(merge, cpu))
			err = add_stream(folder, cpu, merge, fault);
	}
	closedir(dir);
	return err;
}

static bool is_there(const struct proclife_folder *folder, const char *name)
{
	return !faccessat(folder->dir, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* No totals say what is missing; but a file that was being replaced can have been listed under neither name. */
static int add_unlisted(struct proclife_folder *folder, struct proclife_merge *merge, struct proclife_fault *fault)
{
	const uint32_t others[] = { PROCLIFE_CPU_SNAPSHOT, PROCLIFE_CPU_ALL };
	uint64_t cpus = folder->metadata.header.cpus;
	int err = 0;

	for (uint64_t i = 0; !err && i < cpus + sizeof(others) / sizeof(*others); i++) {
		char name[PROCLIFE_CTF_NAME], compressed[PROCLIFE_CTF_FILE];
		uint32_t cpu = i < cpus ? (uint32_t)i : others[i - cpus];

		proclife_ctf_name(name, cpu);
		proclife_ctf_compressed_name(compressed, name);
		if (!is_added(merge, cpu) && (is_there(folder, name) || is_there(folder, compressed)))
			err = add_stream(folder, cpu, merge, fault);
	}
	return err;
}

/* Adds the streams that are missing, or were not listed since their files were being replaced. */
static int add_missing(struct proclife_folder *folder, struct proclife_merge *merge,
		       struct proclife_fault *fault)
{
	const struct proclife_metadata *metadata = &folder->metadata;
	int err = 0;

	for (uint64_t i = 0; !err && i < metadata->streams; i++)
		if (!is_added(merge, metadata->totals[i].cpu))
			err = add_stream(folder, metadata->totals[i].cpu, merge, fault);
	return err;
}

int proclife_folder_streams(struct proclife_folder *folder, struct proclife_merge *merge, uint64_t since,
			    struct proclife_fault *fault)
{
	int err;

	folder->since = since;
	err = add_tapes(folder, merge, fault);
	if (!err)
		err = folder->metadata.counted ? add_missing(folder, merge, fault) : add_unlisted(folder, merge, fault);
	return err;
}

int proclife_folder_open(struct proclife_folder *folder, const char *path, struct proclife_fault *fault)
{
	int err;

	*folder = (struct proclife_folder){ .dir = -1 };
	folder->path = strdup(path);
	if (!folder->path)
		return -ENOMEM;
	folder->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->dir >= 0)
		return 0;
	err = -errno;
	if (err == -ENOTDIR)
		proclife_fault_at(fault, path, NULL, "not a folder; a recording of proclife-read --record is one");
	else
		proclife_fault_at(fault, path, NULL, "cannot open: %s%s", proclife_strerror(-err),
				  proclife_remedy(-err));
	return err;
}

void proclife_folder_close(struct proclife_folder *folder)
{
	for (uint32_t i = 0; i < folder->count; i++) {
		struct proclife_ctf_reader *reader = folder->readers[i];

		proclife_frames_free(reader->file.frames);
		if (reader->file.fd >= 0)
			close(reader->file.fd);
		free(reader->records);
		free(reader);
	}
	free(folder->readers);
	proclife_unpacker_free(folder->unpacker);
	free(folder->metadata.totals);
	proclife_daytime_free(&folder->metadata.daytime);
	proclife_daytime_free(&folder->metadata.boottime);
	free(folder->path);
	if (folder->dir >= 0)
		close(folder->dir);
	*folder = (struct proclife_folder){ .dir = -1 };
}

/* As its recorder wrote, or with the last event that is there, which can be a damaged place's gap. */
uint64_t proclife_folder_end(const struct proclife_folder *folder)
{
	const struct proclife_run_info *run = &folder->metadata.run;
	uint64_t end = 0;

	if (run->complete)
		return run->ended;
	if (run->running)
		return run->synced;
	for (uint32_t i = 0; i < folder->count; i++) {
		const struct proclife_ctf_reader *reader = folder->readers[i];

		if (end < reader->place.floor)
			end = reader->place.floor;
		if (end < reader->damage.to)
			end = reader->damage.to;
	}
	return end;
}
