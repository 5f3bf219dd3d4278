// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opening a recording: reads its metadata, opens its streams, and merges them.
 */
#include "ctf_reader.h"
#include "plain.h"
#include "source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct proclife_recording {
	struct proclife_source source;
	struct proclife_metadata metadata;
	struct proclife_fault fault; /* why it cannot be opened */
	bool began;
	char *path;
	int dir;
	struct proclife_ctf_reader **readers;
	uint32_t count;
};

static struct proclife_recording *recording_of(const struct proclife_source *source)
{
	return (struct proclife_recording *)source;
}

/* When the trace ends: as its recorder wrote, or with the last event that is there. */
static uint64_t end_of(const struct proclife_recording *recording)
{
	const struct proclife_run_info *run = &recording->metadata.run;
	uint64_t end = 0;

	if (run->complete)
		return run->ended;
	if (run->running)
		return run->synced;
	for (uint32_t i = 0; i < recording->count; i++) {
		if (end < recording->readers[i]->place.floor)
			end = recording->readers[i]->place.floor;
	}
	return end;
}

static int recording_more(struct proclife_source *source)
{
	struct proclife_recording *recording = recording_of(source);

	if (recording->began) {
		source->merge.horizon = end_of(recording);
		return -ENODATA;
	}
	for (uint32_t i = 0; i < recording->count; i++) {
		struct proclife_stream *stream = &recording->readers[i]->stream;

		if (stream->cur == stream->end && !proclife_gap_is(&stream->gap) &&
		    proclife_ctf_reader_refill(stream))
			return 0; /* the others come next time */
	}
	recording->began = true;
	proclife_merge_build(&source->merge);
	/* A running recording is complete up to this time; later events may be missing. */
	source->merge.horizon = recording->metadata.run.running ? end_of(recording) : UINT64_MAX;
	return 1;
}

static const struct proclife_header *recording_header(struct proclife_source *source)
{
	return &recording_of(source)->metadata.header;
}

static const struct proclife_run_info *recording_info(const struct proclife_source *source)
{
	return &recording_of(source)->metadata.run;
}

static const struct proclife_damage *recording_damage(const struct proclife_source *source,
						      size_t index)
{
	const struct proclife_merge *merge = &source->merge;

	for (uint32_t i = 0; i < merge->count; i++) {
		const struct proclife_ctf_reader *reader = (const void *)merge->streams[i];

		if (reader->damage.places && !index--)
			return &reader->damage;
	}
	return NULL;
}

static void recording_free(struct proclife_source *source)
{
	struct proclife_recording *recording = recording_of(source);

	for (uint32_t i = 0; i < recording->count; i++) {
		struct proclife_ctf_reader *reader = recording->readers[i];

		if (reader->file.fd >= 0)
			close(reader->file.fd);
		free(reader->records);
		free(reader);
	}
	free(recording->readers);
	free(recording->metadata.totals);
	proclife_daytime_free(&recording->metadata.daytime);
	free(recording->path);
	if (recording->dir >= 0)
		close(recording->dir);
	free(recording);
}

static const struct proclife_source_ops recording_ops = {
	.more = recording_more,
	.header = recording_header,
	.info = recording_info,
	.damage = recording_damage,
	.free = recording_free,
};

static int open_file(struct proclife_recording *recording, const char *name, struct stat *st)
{
	return proclife_plain_open(recording->dir, recording->path, name, st, &recording->fault);
}

/* Is the recorder at work? It holds a lock, which ends with its process in any case. */
static bool is_locked(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type == F_WRLCK;
}

/* Has the recorder finished since this was opened, and replaced the text by another one? */
static bool is_replaced(const struct proclife_recording *recording, int fd)
{
	struct stat now, then;

	return !fstatat(recording->dir, "metadata", &now, 0) && !fstat(fd, &then) &&
	       (now.st_ino != then.st_ino || now.st_dev != then.st_dev);
}

static int parse_metadata(struct proclife_recording *recording, int fd)
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
		free(recording->metadata.totals);
		proclife_daytime_free(&recording->metadata.daytime);
		err = proclife_metadata_parse(&recording->metadata, text, size, &why);
	}
	free(text);
	if (err && err != -ENOMEM) /* which is no fault of the text */
		proclife_fault_at(&recording->fault, recording->path, "metadata", "%s%s%s",
				  err == -ENOEXEC ? "not a recording: " :
				  err == -EBADMSG ? "damaged: " : "", why.text,
				  err == -EBADMSG ? "; copy the recording again from where it was "
						    "made" : "");
	return err;
}

#define METADATA_TRIES 8 /* a recorder replaces it once */

static int read_metadata(struct proclife_recording *recording)
{
	unsigned int tries = METADATA_TRIES;
	bool running = false, again;
	struct stat st;
	int err, fd;

	if (faccessat(recording->dir, "metadata", F_OK, 0) && errno == ENOENT) {
		proclife_fault_at(&recording->fault, recording->path, NULL,
				  "not a recording: there is no metadata in this folder; name one "
				  "that proclife-read --record made");
		return -ENOEXEC;
	}
	do {
		fd = open_file(recording, "metadata", &st);
		if (fd < 0)
			return fd;
		running = is_locked(fd); /* first, so that the text is no older than this */
		err = parse_metadata(recording, fd);
		again = !err && !running && !recording->metadata.run.complete &&
			is_replaced(recording, fd);
		close(fd);
	} while (again && --tries);
	if (again) {
		proclife_fault_at(&recording->fault, recording->path, "metadata", "replaced again "
				  "and again while it is read, which no recorder does; try again "
				  "when nothing writes to this folder");
		return -EBUSY;
	}
	recording->metadata.run.running = running && !recording->metadata.run.complete;
	return err;
}

/* Is this error about the one file only? Then the other files can be read. */
static bool is_of_the_file(int err)
{
	return err == -EACCES || err == -EPERM || err == -ENOENT || err == -ENXIO ||
	       err == -ENOEXEC || err == -EAGAIN;
}

static int open_stream(struct proclife_recording *recording, struct proclife_ctf_reader *reader)
{
	struct stat st;
	int fd = open_file(recording, reader->name, &st);

	if (is_of_the_file(fd)) {
		proclife_ctf_reader_absent(reader, fd == -ENOENT ? "it is missing" :
							       recording->fault.text);
		recording->fault.text[0] = '\0';
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

static int add_stream(struct proclife_recording *recording, uint32_t cpu)
{
	const struct proclife_metadata *metadata = &recording->metadata;
	struct proclife_ctf_reader *reader;
	void *readers;
	int err = 0;

	readers = realloc(recording->readers, (recording->count + 1) * sizeof(*recording->readers));
	if (!readers)
		return -ENOMEM;
	recording->readers = readers;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	recording->readers[recording->count++] = reader;
	reader->file.fd = -1;
	reader->known = (struct proclife_ctf_known){
		.metadata = metadata,
		.total = proclife_metadata_total(metadata, cpu),
		.types = metadata->header.features | PROCLIFE_KNOWN_TYPES,
		.cpu = cpu,
		.cpus = cpu == PROCLIFE_CTF_SNAPSHOT ? metadata->header.cpus : 0,
	};
	reader->stream.order = cpu;
	reader->stream.refill = proclife_ctf_reader_refill;
	proclife_ctf_name(reader->name, cpu);
	memcpy(reader->damage.stream, reader->name, sizeof(reader->name));
	if (metadata->run.complete && metadata->counted && !reader->known.total)
		proclife_ctf_reader_absent(reader, "it is no part of this recording");
	else
		err = open_stream(recording, reader);
	return err ? err : proclife_merge_add(&recording->source.merge, &reader->stream);
}

/* Adds the files with the names of streams. Other files are not ours. */
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
		uint32_t cpu;

		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			err = -errno;
			break;
		}
		if (!proclife_ctf_cpu(entry->d_name, &cpu) ||
		    (cpu >= recording->metadata.header.cpus && cpu != PROCLIFE_CTF_SNAPSHOT))
			continue;
		err = add_stream(recording, cpu);
	}
	closedir(dir);
	return err;
}

/* Adds the streams that are missing. The merge has its streams in the same order as the totals. */
static int add_missing(struct proclife_recording *recording)
{
	const struct proclife_metadata *metadata = &recording->metadata;
	uint32_t at = 0;
	int err = 0;

	for (uint64_t i = 0; !err && i < metadata->streams; i++) {
		const struct proclife_merge *merge = &recording->source.merge;
		uint32_t cpu = metadata->totals[i].cpu;

		while (at < merge->count && merge->streams[at]->order < cpu)
			at++;
		if (at == merge->count || merge->streams[at]->order != cpu)
			err = add_stream(recording, cpu);
	}
	return err;
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
					  proclife_strerror(-err));
		return err;
	}
	err = read_metadata(recording);
	if (!err)
		err = add_tapes(recording);
	if (!err)
		err = add_missing(recording);
	return err;
}

int proclife_recording_open(struct proclife_source **source, const char *path,
			    struct proclife_fault *fault)
{
	struct proclife_recording *recording = calloc(1, sizeof(*recording));
	int err;

	if (!recording) {
		if (fault)
			proclife_fault_at(fault, path, NULL, "cannot read: %s", proclife_strerror(ENOMEM));
		return -ENOMEM;
	}
	recording->source.ops = &recording_ops;
	recording->dir = -1;
	err = load(recording, path);
	if (err) {
		if (!recording->fault.text[0])
			proclife_fault_at(&recording->fault, path, NULL, "cannot read: %s",
					  proclife_strerror(-err));
		if (fault)
			*fault = recording->fault;
		proclife_source_free(&recording->source);
		return err;
	}
	recording->source.daytime = recording->metadata.daytime;
	recording->metadata.daytime = (struct proclife_daytime){ 0 };
	*source = &recording->source;
	return 0;
}
