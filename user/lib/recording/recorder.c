// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writing a recording. A stream reports what it has yielded just before it drops it. So a recording
 * holds exactly what the reader of the source got, and the only cost is one copy into a packet and
 * one write(2) per packet.
 */
#include "base/files.h"
#include "base/secure_dir.h"
#include "recording/ctf_writer.h"
#include "recording/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

int proclife_recorder_writer(struct proclife_recorder *recorder, uint32_t order,
			     struct proclife_ctf_writer **writer)
{
	uint32_t index = order < recorder->cpus ? order : recorder->cpus + order - PROCLIFE_CPU_ALL;
	int err = 0;

	if (!recorder->writers[index])
		err = proclife_ctf_writer_new(&recorder->writers[index], recorder->dir, order,
					recorder->metadata.run.uuid, &recorder->counts, &recorder->room);
	*writer = recorder->writers[index];
	return err;
}

static int take(struct proclife_recorder *recorder, struct proclife_stream *stream)
{
	const struct proclife_record *from = stream->told, *end = stream->cur;
	struct proclife_gap gap = { 0 };
	struct proclife_ctf_writer *writer;
	int err;

	stream->told = end;
	if (!proclife_gap_is(&stream->gap)) { /* if there was a gap, it has been yielded */
		if (stream->told_gap.from <= recorder->limit)
			gap = stream->told_gap;
		stream->told_gap = (struct proclife_gap){ 0 };
	}
	while (end != from && end[-1].ts > recorder->limit)
		end--;
	if (!proclife_gap_is(&gap) && from == end)
		return 0;
	err = proclife_recorder_writer(recorder, stream->order, &writer);
	if (!err && proclife_gap_is(&gap))
		err = proclife_ctf_writer_gap(writer, &gap);
	if (!err)
		err = proclife_ctf_writer_records(writer, from, (uint64_t)(end - from));
	err = err ? err : proclife_recorder_note(recorder, from, end);
	if (!err && recorder->written)
		recorder->written(recorder, proclife_gap_is(&gap) ? &gap : NULL, from, end);
	return err;
}

void proclife_recorder_take(struct proclife_listener *listener, struct proclife_stream *stream)
{
	struct proclife_recorder *recorder = (struct proclife_recorder *)listener;

	if (!recorder->error)
		recorder->error = take(recorder, stream);
}

int proclife_recorder_take_all(struct proclife_recorder *recorder)
{
	const struct proclife_merge *merge = &recorder->source->merge;

	for (uint32_t i = 0; i < merge->count && !recorder->slice; i++)
		proclife_recorder_take(&recorder->listener, merge->streams[i]);
	for (uint32_t i = 0; i < recorder->writer_count && !recorder->error; i++) {
		struct proclife_ctf_writer *writer = recorder->writers[i];

		if (writer && (writer->count || proclife_packet_gap(writer->packet)))
			recorder->error = proclife_ctf_writer_write(writer);
	}
	if (!recorder->error)
		recorder->error = proclife_recorder_write_users(recorder);
	return recorder->error;
}

/* Without file locks, a reader takes a running recording for one that was cut off: no more harm. */
static void lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	fcntl(fd, F_OFD_SETLK, &lock);
}

/* Grows with each change of a clock. */
static uint64_t clocks_of(const struct proclife_recorder *recorder)
{
	return recorder->source->daytime.version + recorder->source->boottime.version;
}

/* Writes it under another name and renames it: a reader finds the old text or the new one. */
static int write_metadata(struct proclife_recorder *recorder)
{
	size_t size;
	char *text;
	int err, fd;

	recorder->metadata.daytime = recorder->source->daytime; /* still owned by the source */
	recorder->metadata.boottime = recorder->source->boottime;
	recorder->daytime = clocks_of(recorder);
	text = proclife_metadata_text(&recorder->metadata, &size, &recorder->synced_at);
	if (!text)
		return -ENOMEM;
	fd = proclife_secure_file(recorder->dir, PROCLIFE_SECURE_DRAFT);
	if (fd < 0) {
		err = fd;
		goto free_text;
	}
	lock(fd);
	err = proclife_write_all(fd, text, size, 0);
	if (!err && renameat(recorder->dir, PROCLIFE_SECURE_DRAFT, recorder->dir, "metadata"))
		err = -errno;
	if (err) {
		close(fd);
		unlinkat(recorder->dir, PROCLIFE_SECURE_DRAFT, 0);
		goto free_text;
	}
	if (recorder->text >= 0)
		close(recorder->text);
	recorder->text = fd;
	recorder->text_size = size;
free_text:
	free(text);
	return err;
}

int proclife_recorder_write_metadata(struct proclife_recorder *recorder)
{
	int err;

	do {
		err = write_metadata(recorder);
	} while (proclife_room_made(&recorder->room, err));
	return err;
}

int proclife_recorder_sync(struct proclife_recorder *recorder)
{
	uint64_t synced = proclife_source_horizon(recorder->source);
	char digits[PROCLIFE_CTF_SYNCED_DIGITS + 1];

	if (!recorder->error && recorder->metadata.totals) /* it is finished */
		return -EINVAL;
	if (proclife_recorder_take_all(recorder) || recorder->slice)
		return recorder->error;
	if (recorder->sync) {
		recorder->error = recorder->sync(recorder);
		if (recorder->error)
			return recorder->error;
	}
	if (recorder->daytime != clocks_of(recorder)) {
		recorder->metadata.run.synced = synced;
		recorder->error = proclife_recorder_write_metadata(recorder);
		return recorder->error;
	}
	proclife_metadata_synced(digits, synced);
	do { /* a file system can need space for that, too */
		recorder->error = proclife_write_all(recorder->text, digits, PROCLIFE_CTF_SYNCED_DIGITS,
						     recorder->synced_at);
	} while (proclife_room_made(&recorder->room, recorder->error));
	return recorder->error;
}

/* Some file systems report a full disk only when a file is closed. */
static void close_file(int *fd, int *err)
{
	if (close(*fd) && errno != EINTR && !*err)
		*err = -errno;
	*fd = -1;
}

static int close_tapes(struct proclife_recorder *recorder)
{
	struct proclife_metadata *metadata = &recorder->metadata;
	int err = 0;

	metadata->totals = calloc(recorder->writer_count, sizeof(*metadata->totals));
	if (!metadata->totals)
		return -ENOMEM;
	for (uint32_t i = 0; i < recorder->writer_count; i++) {
		struct proclife_ctf_writer *writer = recorder->writers[i];

		if (!writer)
			continue;
		proclife_ctf_writer_total(writer, &metadata->totals[metadata->streams++]);
		close_file(&writer->fd, &err);
	}
	close_file(&recorder->cgroups_fd, &err);
	close_file(&recorder->users_fd, &err);
	return err;
}

static void complete(struct proclife_recorder *recorder)
{
	struct proclife_metadata *metadata = &recorder->metadata;

	metadata->run.complete = true;
	metadata->run.synced = metadata->run.ended;
	metadata->run.records = recorder->counts.records;
	metadata->run.lost = recorder->counts.lost;
	metadata->bytes = recorder->counts.bytes;
	metadata->header.reap_missed = proclife_source_header(recorder->source)->reap_missed;
	metadata->header.marks_missed = proclife_source_header(recorder->source)->marks_missed;
}

int proclife_recorder_complete(struct proclife_recorder *recorder)
{
	int err = close_tapes(recorder);

	if (err)
		return err;
	complete(recorder);
	return proclife_recorder_write_metadata(recorder);
}

/* Nothing says how much a recording that was cut off should have. */
static void leave_cut(struct proclife_recorder *recorder)
{
	struct proclife_metadata *metadata = &recorder->metadata;

	metadata->run.complete = false;
	metadata->run.synced = proclife_recording_info(recorder->source)->synced;
	metadata->run.ended = 0;
	metadata->run.records = 0;
	metadata->run.lost = 0;
	metadata->streams = 0;
}

/* A slice of a recording that was cut off ends when that does, whatever it leaves out. */
static int end_cut(struct proclife_recorder *recorder, uint64_t ended)
{
	struct proclife_ctf_writer *writer;
	uint32_t order = 0;
	int err;

	while (order < recorder->cpus && !recorder->writers[order])
		order++;
	err = proclife_recorder_writer(recorder, recorder->writers[order] ? order : 0, &writer);
	return err ? err : proclife_ctf_writer_end(writer, ended);
}

int proclife_recorder_finish(struct proclife_recorder *recorder,
			     const struct proclife_run_info *run)
{
	struct proclife_metadata *metadata = &recorder->metadata;
	struct proclife_run_info old = metadata->run, now;
	int err = proclife_env_take(&now, run);

	if (err)
		return err;
	if (recorder->error)
		return recorder->error;
	if (metadata->totals || !now.ended ||
	    now.ended < proclife_ctf_writers_end(recorder->writers, recorder->writer_count))
		return -EINVAL;
	recorder->limit = now.ended;
	if (recorder->cut)
		recorder->error = end_cut(recorder, now.ended);
	if (!proclife_recorder_take_all(recorder))
		recorder->error = close_tapes(recorder);
	recorder->source->listener = NULL;
	if (recorder->error)
		return recorder->error;
	metadata->run = now;
	memcpy(metadata->run.hostname, old.hostname, sizeof(old.hostname));
	memcpy(metadata->run.uuid, old.uuid, sizeof(old.uuid));
	memcpy(metadata->run.slice_of, old.slice_of, sizeof(old.slice_of));
	memcpy(metadata->run.boot_id, old.boot_id, sizeof(old.boot_id));
	metadata->run.part = old.part;
	metadata->run.parts = 0;
	if (recorder->parts)
		metadata->run.began = old.began;
	if (recorder->cut)
		leave_cut(recorder);
	else
		complete(recorder);
	recorder->error = proclife_recorder_write_metadata(recorder);
	return recorder->error;
}

int proclife_recorder_error(const struct proclife_recorder *recorder)
{
	return recorder->error;
}

const struct proclife_recorder_counts *
proclife_recorder_counts(const struct proclife_recorder *recorder)
{
	/* Only what asks for it may change: the writers count in the other one. */
	struct proclife_recorder_counts *total = &((struct proclife_recorder *)(uintptr_t)recorder)->total;

	total->records = recorder->before.records + recorder->counts.records;
	total->lost = recorder->before.lost + recorder->counts.lost;
	total->bytes = recorder->before.bytes + recorder->counts.bytes;
	return total;
}

void proclife_recorder_close(struct proclife_recorder *recorder)
{
	for (uint32_t i = 0; recorder->writers && i < recorder->writer_count; i++) {
		proclife_ctf_writer_free(recorder->writers[i]);
		recorder->writers[i] = NULL;
	}
	free(recorder->metadata.totals);
	recorder->metadata.totals = NULL;
	recorder->metadata.streams = 0;
	recorder->metadata.bytes = 0;
	proclife_recorder_close_names(recorder);
	if (recorder->text >= 0)
		close(recorder->text);
	if (recorder->dir >= 0)
		close(recorder->dir);
	recorder->text = -1;
	recorder->dir = -1;
}

void proclife_recorder_free(struct proclife_recorder *recorder)
{
	if (!recorder)
		return;
	if (recorder->source->listener == &recorder->listener)
		recorder->source->listener = NULL;
	proclife_recorder_close(recorder);
	free(recorder->writers);
	proclife_recorder_free_names(recorder);
	if (recorder->release)
		recorder->release(recorder);
	proclife_parts_free(recorder->parts);
	free(recorder);
}

/* Makes the folder, or takes an empty one; a part's folder is always made. */
int proclife_recorder_begin(struct proclife_recorder *recorder, const char *path)
{
	struct dirent *entry;
	int err = 0, fd;
	DIR *dir;

	fd = recorder->parts ? proclife_parts_made(recorder->parts) : proclife_secure_folder(path);
	if (fd < 0)
		return fd;
	recorder->dir = fd;
	dir = proclife_list(recorder->dir, ".");
	if (!dir)
		return -errno;
	errno = 0;
	while (!err && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			err = -ENOTEMPTY;
	if (!err)
		err = -errno;
	closedir(dir);
	return err;
}

static void fill_metadata(struct proclife_metadata *metadata, struct proclife_source *source,
			  const struct proclife_run_info *run)
{
	const struct proclife_run_info *of = proclife_recording_info(source);
	const uint8_t *boot_id = proclife_source_boot_id(source);

	metadata->format = PROCLIFE_RECORDING_FORMAT;
	metadata->header = *proclife_source_header(source);
	metadata->run = *run;
	metadata->run.complete = false;
	metadata->run.ended = 0;
	metadata->run.synced = 0;
	metadata->run.records = 0;
	metadata->run.lost = 0;
	memset(metadata->run.hostname, 0, sizeof(metadata->run.hostname));
	memset(metadata->run.slice_of, 0, sizeof(metadata->run.slice_of));
	memset(metadata->run.boot_id, 0, sizeof(metadata->run.boot_id));
	if (boot_id)
		memcpy(metadata->run.boot_id, boot_id, sizeof(metadata->run.boot_id));
	metadata->run.part = 0;
	metadata->run.parts = 0;
	if (of) {
		memcpy(metadata->run.hostname, of->hostname, sizeof(of->hostname));
		memcpy(metadata->run.slice_of, of->uuid, sizeof(of->uuid));
	} else {
		gethostname(metadata->run.hostname, sizeof(metadata->run.hostname) - 1);
	}
	if (getrandom(metadata->run.uuid, sizeof(metadata->run.uuid), GRND_NONBLOCK) !=
	    sizeof(metadata->run.uuid)) {
		/* Too early for random numbers. It only has to differ between recordings. */
		memcpy(metadata->run.uuid, &metadata->header.to_realtime, 8);
		memcpy(metadata->run.uuid + 8, &run->began, 8);
	}
}

int proclife_recorder_new_here(struct proclife_recorder **recorder, struct proclife_source *source,
			       const struct proclife_run_info *run)
{
	struct proclife_run_info known;
	struct proclife_recorder *r;
	int err = proclife_env_take(&known, run);

	if (err)
		return err;
	if (source->started || source->listener)
		return -EBUSY;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->listener.take = proclife_recorder_take;
	r->source = source;
	r->dir = -1;
	r->text = -1;
	r->cgroups_fd = -1;
	r->users_fd = -1;
	r->limit = UINT64_MAX;
	r->names_room = UINT64_MAX;
	r->cpus = proclife_source_header(source)->cpus;
	fill_metadata(&r->metadata, source, &known);
	r->writer_count = r->cpus + 2;
	r->writers = calloc(r->writer_count, sizeof(struct proclife_ctf_writer *));
	if (!r->writers) {
		proclife_recorder_free(r);
		return -ENOMEM;
	}
	*recorder = r;
	return 0;
}

int proclife_recorder_make(struct proclife_recorder **recorder, struct proclife_source *source,
			   const char *path, const char *dir, const struct proclife_run_info *run)
{
	struct proclife_recorder *r;
	int err = proclife_recorder_new_here(&r, source, run);

	if (err)
		return err;
	r->slice = path != NULL;
	err = proclife_recorder_begin(r, dir);
	if (!err)
		err = proclife_recorder_open_names(r, path);
	if (!err)
		err = proclife_recorder_write_metadata(r);
	if (err) {
		proclife_recorder_free(r);
		return err;
	}
	*recorder = r;
	return 0;
}

int proclife_recorder_new(struct proclife_recorder **recorder, struct proclife_source *source,
			  const char *dir, const struct proclife_run_info *run)
{
	int err;

	if (!source->can_record)
		return -ENOTSUP;
	err = proclife_recorder_make(recorder, source, NULL, dir, run);
	if (!err)
		source->listener = &(*recorder)->listener;
	return err;
}
