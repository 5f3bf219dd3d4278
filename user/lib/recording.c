// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opening a recording: its metadata is read, its streams are mapped, and the merge runs over them.
 */
#include "playback.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct proclife_recording *recording_of(const struct proclife_source *source)
{
	return (struct proclife_recording *)source;
}

/* Where the trace ends: as its recorder said, or with the last that is there. */
static uint64_t end_of(const struct proclife_recording *recording)
{
	const struct proclife_recorded *run = &recording->metadata.run;
	uint64_t end = 0;

	if (run->complete)
		return run->ended;
	for (uint32_t i = 0; i < recording->count; i++) {
		if (end < recording->tapes[i]->floor)
			end = recording->tapes[i]->floor;
	}
	return end;
}

static int recording_more(struct proclife_source *source)
{
	struct proclife_recording *recording = recording_of(source);

	if (recording->faulty)
		return -EBADMSG;
	if (recording->began) {
		source->merge.horizon = end_of(recording);
		return -ENODATA;
	}
	for (uint32_t i = 0; i < recording->count; i++) {
		struct proclife_stream *stream = &recording->tapes[i]->stream;
		int err;

		if (stream->cur != stream->end || proclife_gap_is(&stream->gap))
			continue;
		err = proclife_playback_refill(stream);
		if (err)
			return err;
	}
	recording->began = true;
	proclife_merge_build(&source->merge);
	source->merge.horizon = UINT64_MAX;
	return 1;
}

static const struct proclife_header *recording_header(struct proclife_source *source)
{
	return &recording_of(source)->metadata.header;
}

static const struct proclife_recorded *recording_info(const struct proclife_source *source)
{
	return &recording_of(source)->metadata.run;
}

static const struct proclife_fault *recording_fault(const struct proclife_source *source)
{
	const struct proclife_recording *recording = recording_of(source);

	return recording->faulty ? &recording->fault : NULL;
}

static void recording_free(struct proclife_source *source)
{
	struct proclife_recording *recording = recording_of(source);

	for (uint32_t i = 0; i < recording->count; i++) {
		struct proclife_playback *tape = recording->tapes[i];

		if (tape->map)
			munmap((void *)tape->map, tape->bytes);
		free(tape);
	}
	free(recording->tapes);
	free(recording->path);
	if (recording->dir >= 0)
		close(recording->dir);
	free(recording);
}

static const struct proclife_source_ops recording_ops = {
	.more = recording_more,
	.header = recording_header,
	.info = recording_info,
	.fault = recording_fault,
	.free = recording_free,
};

static int open_file(struct proclife_recording *recording, const char *name, struct stat *st)
{
	return proclife_plain_open(recording->dir, recording->path, name, st, &recording->fault);
}

static int read_metadata(struct proclife_recording *recording)
{
	struct proclife_fault why = { .text = "" };
	struct stat st;
	size_t size = 0;
	int err = 0, fd;
	char *text;

	if (faccessat(recording->dir, "metadata", F_OK, 0) && errno == ENOENT) {
		proclife_fault_at(&recording->fault, recording->path, NULL,
				  "not a recording: there is no metadata in this folder; name one "
				  "that proclife-read --record made");
		return -ENOEXEC;
	}
	fd = open_file(recording, "metadata", &st);
	if (fd < 0)
		return fd;
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
	close(fd);
	if (!text)
		return -ENOMEM;
	if (err) {
		proclife_fault_set(&why, "%s", strerror(-err));
	} else if (size == PROCLIFE_CTF_METADATA_MAX) {
		proclife_fault_set(&why, "too large to be written by proclife-read --record");
		err = -ENOEXEC;
	} else {
		err = proclife_metadata_parse(&recording->metadata, text, size, &why);
	}
	free(text);
	if (err)
		proclife_fault_at(&recording->fault, recording->path, "metadata", "%s%s%s",
				  err == -ENOEXEC ? "not a recording: " :
				  err == -EBADMSG ? "damaged: " : "", why.text,
				  err == -EBADMSG ? "; copy the recording again from where it was "
						    "made" : "");
	return err;
}

static int map_tape(struct proclife_recording *recording, struct proclife_playback *tape)
{
	struct stat st;
	int fd = open_file(recording, tape->name, &st);
	void *map;

	if (fd < 0)
		return fd;
	if (st.st_size) {
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (map == MAP_FAILED) {
			int err = -errno;

			close(fd);
			proclife_fault_at(&recording->fault, recording->path, tape->name,
					  "cannot map: %s", strerror(-err));
			return err;
		}
		madvise(map, (size_t)st.st_size, MADV_SEQUENTIAL);
		tape->map = map;
	}
	close(fd);
	tape->bytes = (uint64_t)st.st_size;
	recording->bytes += tape->bytes;
	return 0;
}

static int add_tape(struct proclife_recording *recording, uint32_t cpu)
{
	struct proclife_playback *tape;
	void *tapes;
	int err;

	tapes = realloc(recording->tapes, (recording->count + 1) * sizeof(*recording->tapes));
	if (!tapes)
		return -ENOMEM;
	recording->tapes = tapes;
	tape = calloc(1, sizeof(*tape));
	if (!tape)
		return -ENOMEM;
	recording->tapes[recording->count++] = tape;
	tape->recording = recording;
	tape->stream.order = cpu;
	tape->stream.refill = proclife_playback_refill;
	proclife_ctf_name(tape->name, cpu);
	err = map_tape(recording, tape);
	return err ? err : proclife_merge_add(&recording->source.merge, &tape->stream);
}

/* The files that are named as a recorder names them; others are somebody else's. */
static int add_tapes(struct proclife_recording *recording)
{
	int err = 0, fd = openat(recording->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err) {
		char name[PROCLIFE_CTF_NAME];
		uint32_t cpu = PROCLIFE_CTF_SNAPSHOT;

		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			err = -errno;
			break;
		}
		if (!strncmp(entry->d_name, "cpu_", 4))
			cpu = (uint32_t)strtoul(entry->d_name + 4, NULL, 10);
		proclife_ctf_name(name, cpu);
		if (strcmp(entry->d_name, name) ||
		    (cpu >= recording->metadata.header.cpus && cpu != PROCLIFE_CTF_SNAPSHOT))
			continue;
		err = add_tape(recording, cpu);
	}
	closedir(dir);
	return err;
}

static int check_total(struct proclife_recording *recording)
{
	const struct proclife_metadata *metadata = &recording->metadata;

	if (!metadata->run.complete || (metadata->streams == recording->count &&
					metadata->bytes == recording->bytes))
		return 0;
	proclife_fault_at(&recording->fault, recording->path, NULL, "damaged: %" PRIu64 " files of %"
			  PRIu64 " bytes were recorded, there are %" PRIu32 " of %" PRIu64
			  "; copy the recording again from where it was made",
			  metadata->streams, metadata->bytes, recording->count, recording->bytes);
	return -EBADMSG;
}

static int load(struct proclife_recording *recording, const char *path)
{
	int err;

	recording->path = strdup(path);
	if (!recording->path)
		return -ENOMEM;
	recording->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (recording->dir < 0) {
		err = -errno;
		if (err == -ENOTDIR)
			proclife_fault_at(&recording->fault, path, NULL, "not a folder; a "
					  "recording of proclife-read --record is one");
		else
			proclife_fault_at(&recording->fault, path, NULL, "cannot open: %s",
					  strerror(-err));
		return err;
	}
	err = read_metadata(recording);
	if (!err)
		err = add_tapes(recording);
	if (!err)
		err = check_total(recording);
	return err;
}

int proclife_recording_open(struct proclife_source **source, const char *path,
			    struct proclife_fault *fault)
{
	struct proclife_recording *recording = calloc(1, sizeof(*recording));
	int err;

	if (!recording) {
		if (fault)
			proclife_fault_at(fault, path, NULL, "cannot read: %s", strerror(ENOMEM));
		return -ENOMEM;
	}
	recording->source.ops = &recording_ops;
	recording->dir = -1;
	err = load(recording, path);
	if (err) {
		if (!recording->fault.text[0])
			proclife_fault_at(&recording->fault, path, NULL, "cannot read: %s",
					  strerror(-err));
		if (fault)
			*fault = recording->fault;
		proclife_source_free(&recording->source);
		return err;
	}
	*source = &recording->source;
	return 0;
}
