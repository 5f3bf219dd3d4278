// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writing a recording. A stream reports what it has yielded just before it drops it. So a recording
 * holds exactly what the reader of the source got, and the only cost is one copy into a packet and
 * one write(2) per packet.
 */
#include "cgroups.h"
#include "ctf.h"
#include "ctf_writer.h"
#include "numbered.h"
#include "source.h"
#include "users.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

struct proclife_recorder {
	struct proclife_listener listener; /* first */
	struct proclife_source *source;
	struct proclife_metadata metadata;
	int dir;
	int text; /* the metadata's descriptor, for updating `synced` in it */
	size_t synced_at;
	uint64_t daytime; /* the version of the time of day in the metadata */
	int error;
	uint64_t limit; /* later records are left out */
	uint32_t cpus;
	/* By CPU, then the snapshot's; NULL until there is something to write. */
	struct proclife_ctf_writer **writers;
	struct proclife_recorder_counts counts;
	struct proclife_cgroups *cgroups;
	uint64_t cgroup; /* the last one seen */
	uint64_t cgroups_end; /* of the cgroups' file */
	int cgroups_fd;
	struct proclife_users *users;
	uint32_t *new_uids; /* their names are not written yet */
	size_t new_uid_count;
	size_t new_uid_size;
	uint64_t uid; /* the last one seen, plus 1 */
	uint64_t users_end; /* of the users' file */
	int users_fd;
};

static int writer_of(struct proclife_recorder *recorder, uint32_t order, struct proclife_ctf_writer **writer)
{
	uint32_t index = order < recorder->cpus ? order : recorder->cpus;
	int err = 0;

	if (!recorder->writers[index])
		err = proclife_ctf_writer_new(&recorder->writers[index], recorder->dir, order,
					recorder->metadata.run.uuid, &recorder->counts);
	*writer = recorder->writers[index];
	return err;
}

#define WORD_OF(member) (offsetof(struct proclife_record, member) / sizeof(uint64_t))
#define AT(member) { WORD_OF(member), UINT64_MAX }

/* The cgroup in a record. The next type is as good as random, so this has no branch on it. */
static inline uint64_t cgroup_of(const struct proclife_record *record)
{
	static const struct {
		uint64_t word;
		uint64_t mask;
	} places[PROCLIFE_TYPES] = {
		[PROCLIFE_FORK] = AT(fork.cgroup),
		[PROCLIFE_RENAME] = AT(rename.cgroup),
		[PROCLIFE_REAP] = AT(reap.cgroup),
		[PROCLIFE_TASK] = AT(state.cgroup),
	};
	uint16_t type = record->type < PROCLIFE_TYPES ? record->type : PROCLIFE_NONE;
	uint64_t id;

	memcpy(&id, (const char *)record + places[type].word * sizeof(id), sizeof(id));
	return id & places[type].mask;
}

/* The uid in a record, plus 1; likewise. */
static inline uint64_t uid_of(const struct proclife_record *record)
{
#define UID_AT(member) { offsetof(struct proclife_record, member) / sizeof(uint32_t), UINT64_MAX }
	static const struct {
		uint64_t place; /* in words of 32 bits */
		uint64_t mask;
	} places[PROCLIFE_TYPES] = {
		[PROCLIFE_FORK] = UID_AT(fork.uid),
		[PROCLIFE_EXEC] = UID_AT(exec.uid),
		[PROCLIFE_TASK] = UID_AT(state.uid),
	};
	uint16_t type = record->type < PROCLIFE_TYPES ? record->type : PROCLIFE_NONE;
	uint32_t uid;

	memcpy(&uid, (const char *)record + places[type].place * sizeof(uid), sizeof(uid));
	return ((uint64_t)uid + 1) & places[type].mask;
}

static int note_cgroup(struct proclife_recorder *recorder, uint64_t id)
{
	const char *path;

	recorder->cgroup = id;
	if (proclife_cgroups_known(recorder->cgroups, id))
		return 0;
	path = proclife_cgroups_path(recorder->cgroups, id);
	return path ? proclife_numbered_write(recorder->cgroups_fd, &recorder->cgroups_end, id,
					      path) : 0;
}

/* Looking up the name can take long, and can wait. */
static int note_uid(struct proclife_recorder *recorder, uint64_t uid)
{
	int ret;

	recorder->uid = uid;
	if (recorder->new_uid_count == recorder->new_uid_size) {
		size_t size = recorder->new_uid_size ? 2 * recorder->new_uid_size : 16;
		uint32_t *more = reallocarray(recorder->new_uids, size, sizeof(*more));

		if (!more)
			return -ENOMEM;
		recorder->new_uids = more;
		recorder->new_uid_size = size;
	}
	ret = proclife_users_note(recorder->users, (uint32_t)(uid - 1));
	if (ret == 1)
		recorder->new_uids[recorder->new_uid_count++] = (uint32_t)(uid - 1);
	return ret < 0 ? ret : 0;
}

static int write_users(struct proclife_recorder *recorder)
{
	int err = 0;

	for (size_t i = 0; !err && i < recorder->new_uid_count; i++) {
		const char *name;

		err = proclife_users_find(recorder->users, recorder->new_uids[i], &name);
		if (name)
			err = proclife_numbered_write(recorder->users_fd, &recorder->users_end,
						      recorder->new_uids[i], name);
	}
	recorder->new_uid_count = 0;
	return err;
}

/* At replay it is too late: cgroups are looked up while they exist. */
static int note_numbers(struct proclife_recorder *recorder, const struct proclife_record *from,
			const struct proclife_record *end)
{
	int err = 0;

	for (; !err && from != end; from++) {
		uint64_t id = cgroup_of(from), uid = uid_of(from);

		if (proclife_unlikely(id && id != recorder->cgroup))
			err = note_cgroup(recorder, id);
		if (proclife_unlikely(!err && uid && uid != recorder->uid))
			err = note_uid(recorder, uid);
	}
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
	err = writer_of(recorder, stream->order, &writer);
	if (!err && proclife_gap_is(&gap))
		err = proclife_ctf_writer_gap(writer, &gap);
	if (!err)
		err = proclife_ctf_writer_records(writer, from, (uint64_t)(end - from));
	return err ? err : note_numbers(recorder, from, end);
}

static void take_unless_failed(struct proclife_listener *listener, struct proclife_stream *stream)
{
	struct proclife_recorder *recorder = (struct proclife_recorder *)listener;

	if (!recorder->error)
		recorder->error = take(recorder, stream);
}

static int take_all(struct proclife_recorder *recorder)
{
	const struct proclife_merge *merge = &recorder->source->merge;

	for (uint32_t i = 0; i < merge->count; i++)
		take_unless_failed(&recorder->listener, merge->streams[i]);
	for (uint32_t i = 0; i <= recorder->cpus && !recorder->error; i++) {
		struct proclife_ctf_writer *writer = recorder->writers[i];

		if (writer && (writer->count || proclife_packet_gap(writer->packet)))
			recorder->error = proclife_ctf_writer_write(writer);
	}
	if (!recorder->error)
		recorder->error = write_users(recorder);
	return recorder->error;
}

/* Without file locks, a reader takes a running recording for one that was cut off: no more harm. */
static void lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	fcntl(fd, F_OFD_SETLK, &lock);
}

/* Writes it under another name and renames it: a reader finds the old text or the new one. */
static int write_metadata(struct proclife_recorder *recorder)
{
	static const char draft[] = ".metadata";
	size_t size;
	char *text;
	int err, fd;

	recorder->metadata.daytime = recorder->source->daytime; /* still owned by the source */
	recorder->daytime = recorder->source->daytime.version;
	text = proclife_metadata_text(&recorder->metadata, &size, &recorder->synced_at);
	if (!text)
		return -ENOMEM;
	fd = openat(recorder->dir, draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0) {
		err = -errno;
		goto free_text;
	}
	lock(fd);
	err = proclife_write_all(fd, text, size, 0);
	if (!err && renameat(recorder->dir, draft, recorder->dir, "metadata"))
		err = -errno;
	if (err) {
		close(fd);
		unlinkat(recorder->dir, draft, 0);
		goto free_text;
	}
	if (recorder->text >= 0)
		close(recorder->text);
	recorder->text = fd;
free_text:
	free(text);
	return err;
}

int proclife_recorder_sync(struct proclife_recorder *recorder)
{
	uint64_t synced = proclife_source_horizon(recorder->source);
	char digits[PROCLIFE_CTF_SYNCED_DIGITS + 1];

	if (take_all(recorder))
		return recorder->error;
	if (recorder->daytime != recorder->source->daytime.version) {
		recorder->metadata.run.synced = synced;
		recorder->error = write_metadata(recorder);
		return recorder->error;
	}
	proclife_metadata_synced(digits, synced);
	recorder->error = proclife_write_all(recorder->text, digits, PROCLIFE_CTF_SYNCED_DIGITS,
					     recorder->synced_at);
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

	metadata->totals = calloc(recorder->cpus + 1, sizeof(*metadata->totals));
	if (!metadata->totals)
		return -ENOMEM;
	for (uint32_t i = 0; i <= recorder->cpus; i++) {
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

/* The size of the structure in its first version. */
#define FIRST_RUN_INFO (offsetof(struct proclife_run_info, rcu) + PROCLIFE_RCU_LEN)

static int take_run(struct proclife_run_info *to, const struct proclife_run_info *from)
{
	int err = proclife_take_struct(to, sizeof(*to), from, from->size, FIRST_RUN_INFO);

	to->size = sizeof(*to);
	return err;
}

int proclife_recorder_finish(struct proclife_recorder *recorder,
			     const struct proclife_run_info *run)
{
	struct proclife_metadata *metadata = &recorder->metadata;
	struct proclife_run_info old = metadata->run, now;
	int err = take_run(&now, run);

	if (err)
		return err;
	recorder->limit = now.ended;
	if (!take_all(recorder))
		recorder->error = close_tapes(recorder);
	recorder->source->listener = NULL;
	if (recorder->error)
		return recorder->error;
	metadata->run = now;
	memcpy(metadata->run.hostname, old.hostname, sizeof(old.hostname));
	memcpy(metadata->run.uuid, old.uuid, sizeof(old.uuid));
	metadata->run.complete = true;
	metadata->run.synced = now.ended;
	metadata->run.records = recorder->counts.records;
	metadata->run.lost = recorder->counts.lost;
	metadata->bytes = recorder->counts.bytes;
	metadata->header.reap_missed = proclife_source_header(recorder->source)->reap_missed;
	recorder->error = write_metadata(recorder);
	return recorder->error;
}

int proclife_recorder_error(const struct proclife_recorder *recorder)
{
	return recorder->error;
}

const struct proclife_recorder_counts *
proclife_recorder_counts(const struct proclife_recorder *recorder)
{
	return &recorder->counts;
}

void proclife_recorder_free(struct proclife_recorder *recorder)
{
	if (!recorder)
		return;
	if (recorder->source->listener == &recorder->listener)
		recorder->source->listener = NULL;
	for (uint32_t i = 0; recorder->writers && i <= recorder->cpus; i++)
		proclife_ctf_writer_free(recorder->writers[i]);
	free(recorder->writers);
	free(recorder->metadata.totals);
	proclife_cgroups_free(recorder->cgroups);
	if (recorder->cgroups_fd >= 0)
		close(recorder->cgroups_fd);
	proclife_users_free(recorder->users);
	free(recorder->new_uids);
	if (recorder->users_fd >= 0)
		close(recorder->users_fd);
	if (recorder->text >= 0)
		close(recorder->text);
	if (recorder->dir >= 0)
		close(recorder->dir);
	free(recorder);
}

/* Makes the folder, or takes an empty one. */
static int open_dir(struct proclife_recorder *recorder, const char *path)
{
	struct dirent *entry;
	int err = 0, fd;
	DIR *dir;

	/* Arguments and names can be confidential: for the owner only, like the device. */
	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	recorder->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (recorder->dir < 0)
		return -errno;
	fd = openat(recorder->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		err = -errno;
		close(fd);
		return err;
	}
	errno = 0;
	while (!err && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			err = -ENOTEMPTY;
	if (!err)
		err = -errno;
	closedir(dir);
	return err;
}

static int create(const struct proclife_recorder *recorder, const char *name, int *fd)
{
	*fd = openat(recorder->dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return *fd < 0 ? -errno : 0;
}

/* Opens the files of the texts that belong to numbers. */
static int open_texts(struct proclife_recorder *recorder)
{
	int err = create(recorder, PROCLIFE_CGROUPS_FILE, &recorder->cgroups_fd);

	if (!err)
		err = proclife_cgroups_new(&recorder->cgroups, NULL, NULL);
	if (!err)
		err = create(recorder, PROCLIFE_USERS_FILE, &recorder->users_fd);
	if (!err)
		err = proclife_users_new(&recorder->users, NULL, NULL);
	return err;
}

static void fill_metadata(struct proclife_metadata *metadata, struct proclife_source *source,
			  const struct proclife_run_info *run)
{
	metadata->format = PROCLIFE_CTF_FORMAT;
	metadata->header = *proclife_source_header(source);
	/* The header's own can be newer: another open(2) of the device updates it. */
	metadata->header.to_realtime = source->daytime.to_realtime;
	metadata->run = *run;
	metadata->run.complete = false;
	metadata->run.ended = 0;
	metadata->run.synced = 0;
	metadata->run.records = 0;
	metadata->run.lost = 0;
	memset(metadata->run.hostname, 0, sizeof(metadata->run.hostname));
	gethostname(metadata->run.hostname, sizeof(metadata->run.hostname) - 1);
	if (getrandom(metadata->run.uuid, sizeof(metadata->run.uuid), GRND_NONBLOCK) !=
	    sizeof(metadata->run.uuid)) {
		/* Too early for random numbers. It only has to differ between recordings. */
		memcpy(metadata->run.uuid, &metadata->header.to_realtime, 8);
		memcpy(metadata->run.uuid + 8, &run->began, 8);
	}
}

int proclife_recorder_new(struct proclife_recorder **recorder, struct proclife_source *source,
			  const char *dir, const struct proclife_run_info *run)
{
	struct proclife_run_info known;
	struct proclife_recorder *r;
	int err = take_run(&known, run);

	if (err)
		return err;
	if (!source->can_record)
		return -ENOTSUP;
	if (source->started || source->listener)
		return -EBUSY;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->listener.take = take_unless_failed;
	r->source = source;
	r->dir = -1;
	r->text = -1;
	r->cgroups_fd = -1;
	r->users_fd = -1;
	r->limit = UINT64_MAX;
	r->cpus = proclife_source_header(source)->cpus;
	fill_metadata(&r->metadata, source, &known);
	r->writers = calloc(r->cpus + 1, sizeof(struct proclife_ctf_writer *));
	err = r->writers ? open_dir(r, dir) : -ENOMEM;
	if (!err)
		err = open_texts(r);
	if (!err)
		err = write_metadata(r);
	if (err) {
		proclife_recorder_free(r);
		return err;
	}
	source->listener = &r->listener;
	*recorder = r;
	return 0;
}
