// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording from an untrusted source: opening and reading it, and what the results make of its
 * records. The first byte of an input says how the rest is interpreted:
 *
 *   bit 0: a metadata text of its own, that is 2 bytes of length and the text; else a valid one
 *   bit 1: packets get the right magic and uuid, so that their other fields matter
 *   bit 2: half of the bytes go into a second CPU's file, else a tenth into a snapshot
 *   bit 3: records are given times that never go back, and small handles and pids
 *   bit 4: the recording counts as complete
 *   bit 5: the files have another length than when they were opened
 *   bit 6: one of the files is missing
 *   bit 7: the files are compressed, and then a byte of each is changed
 */
#include <recording/ctf.h>
#include <recording/frames.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <proclife.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[64];
static struct proclife_metadata valid;
static struct proclife_total totals[3];
static uint64_t bytes_there;

static void remove_dir(void)
{
	static const char *const names[] = {
		"metadata", "cpu_0", "cpu_1", "snapshot", "cpu_0.zst", "cpu_1.zst", "snapshot.zst",
	};
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

static void begin(void)
{
	if (dir[0])
		return;
	snprintf(dir, sizeof(dir), "/dev/shm/proclife-fuzz-XXXXXX");
	if (!mkdtemp(dir))
		abort();
	atexit(remove_dir);
	memset(valid.run.uuid, 0x55, sizeof(valid.run.uuid));
	valid.header.abi_version = PROCLIFE_ABI_VERSION;
	valid.header.abi_compatible = PROCLIFE_ABI_COMPATIBLE;
	valid.header.record_bytes = sizeof(struct proclife_record);
	valid.header.cpus = 2;
	valid.header.features = PROCLIFE_KNOWN_TYPES;
}

static void put(const char *name, const void *data, size_t size)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void take_away(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

static void mend_records(char *data, size_t size, struct proclife_packet *packet, uint32_t cpu)
{
	struct proclife_record *records = (struct proclife_record *)(data + sizeof(*packet));
	size_t n = size / sizeof(*records);
	uint64_t ts = packet->timestamp_begin;

	for (size_t i = 0; i + 1 < n && i < PROCLIFE_CTF_RECORDS; i++) {
		ts += records[i].ts & 0xff;
		records[i].type &= 0xf;
		if (records[i].flags & 7) { /* one of eight may be damaged */
			records[i].ts = ts;
			records[i].cpu = cpu < 2 ? cpu : records[i].cpu & 1;
		}
		records[i].task &= 0xf;
		records[i].pid &= 0xf;
		records[i].tgid &= 0xf;
		for (size_t word = 0; word < 3; word++)
			records[i].words[word] &= 0xf;
	}
	packet->timestamp_end = ts;
}

/* Packets of one page, each with a valid magic and uuid. */
static void mend(char *data, size_t size, uint32_t cpu, bool records, struct proclife_total *total)
{
	uint64_t number = 0, ts = 1, discarded = 0, before = 0;

	for (; size >= sizeof(struct proclife_packet); number++) {
		struct proclife_packet *packet = (struct proclife_packet *)data;
		size_t bytes = size < PROCLIFE_CTF_ALIGN ? size : PROCLIFE_CTF_ALIGN;

		packet->magic = PROCLIFE_CTF_MAGIC;
		memcpy(packet->uuid, valid.run.uuid, sizeof(packet->uuid));
		if (records) {
			packet->stream_id = 0;
			packet->cpu_id = cpu;
			packet->packet_seq_num = number;
			packet->gap_lost &= 3;
			packet->gap_from = packet->gap_lost ? ts : 0;
			/* Without a loss, gap_to is where a history begins. */
			packet->gap_to = packet->gap_lost || packet->gap_to & 1 ?
						 ts + (packet->gap_to & 0xffff) : 0;
			discarded += packet->gap_lost;
			packet->events_discarded = discarded;
			packet->timestamp_begin = ts;
			packet->packet_size = PROCLIFE_CTF_ALIGN * 8;
			packet->content_size = (PROCLIFE_CTF_HEADER_BYTES +
						packet->content_size % 3981) * 8;
			mend_records(data, bytes, packet, cpu);
			ts = packet->timestamp_end;
			packet->first_record = before;
			before += (packet->content_size / 8 - 1) / sizeof(struct proclife_record);
			if (packet->reserved0 % 8) /* one of eight is damaged */
				packet->checksum = proclife_packet_checksum(packet);
		}
		data += bytes;
		size -= bytes;
	}
	total->last = ts;
	total->records = before;
	total->lost = discarded;
}

/* A frame of each page or so: some overlap, and some are missing. */
static void put_compressed(const char *name, const char *data, size_t size)
{
	char file[PROCLIFE_CTF_FILE], *bytes = malloc(2 * size + 65536), *to = bytes;

	for (size_t at = 0, n; bytes && at < size; at += n) {
		struct proclife_frame_head head = { .magic = PROCLIFE_FRAME_MAGIC, .size = sizeof(head) - 8, .at = at };
		unsigned char how = (unsigned char)data[at];

		n = size - at < 4096 ? size - at : 4096;
		if (to - bytes > (ptrdiff_t)size || how == 1) /* there is room for what is small */
			continue;
		head.plain = (uint32_t)n;
		head.packed = (uint32_t)ZSTD_compress(to + sizeof(head), ZSTD_COMPRESSBOUND(4096), data + at, n, 1);
		if (how == 2)
			head.at -= at < 100 ? 0 : 100;
		head.check = proclife_frame_check(&head);
		memcpy(to, &head, sizeof(head));
		to += sizeof(head) + head.packed;
	}
	if (to > bytes && size)
		bytes[(size_t)data[size - 1] * 97 % (size_t)(to - bytes)] ^= data[size / 2];
	proclife_ctf_compressed_name(file, name);
	put(file, bytes, (size_t)(to - bytes));
	free(bytes);
}

static void put_stream(const char *name, const uint8_t *data, size_t size, uint32_t cpu,
		       uint8_t how)
{
	struct proclife_total *total = &totals[valid.streams++];
	size_t bytes = size;
	char *copy;

	if (how & 8)
		bytes = (size + PROCLIFE_CTF_ALIGN - 1) / PROCLIFE_CTF_ALIGN * PROCLIFE_CTF_ALIGN;
	copy = calloc(1, bytes ? bytes : 1);
	if (!copy)
		abort();
	memcpy(copy, data, size);
	*total = (struct proclife_total){
		.first = 1, .last = size + 1, .records = size / 100, .lost = size % 7, .cpu = cpu,
		.bytes = bytes ^ (how & 32),
	};
	if (how & 2)
		mend(copy, bytes, cpu, how & 8, total);
	if (how & 128) {
		put_compressed(name, copy, bytes);
		take_away(name);
	} else {
		put(name, copy, bytes); /* if both are there, this one is read */
	}
	valid.run.records += total->records;
	valid.run.lost += total->lost;
	valid.bytes += total->bytes;
	bytes_there += bytes;
	free(copy);
}

/* All results of a source. */
static void use(struct proclife_source *source)
{
	struct proclife_latency *latency = NULL;
	struct proclife_tasks *tasks = NULL;
	struct proclife_tree *tree = NULL;
	const struct proclife_run_info *info = proclife_recording_info(source);
	struct proclife_event event;
	uint64_t records = 0;
	int ret;

	if (proclife_tasks_new(&tasks, NULL) || proclife_tree_new(&tree, tasks) ||
	    proclife_latency_new(&latency, tasks, false))
		abort();
	proclife_tasks_select_pid(tasks, 3);
	while ((ret = proclife_source_next(source, &event)) == 1) {
		records += event.record != NULL;
		if (proclife_tasks_feed(tasks, &event) < 0)
			abort();
	}
	if (ret != -ENODATA || records > bytes_there / sizeof(struct proclife_record))
		abort();
	/* However it is damaged, records read plus records lost are the records made. */
	if (info->complete && records + proclife_source_lost(source) != info->records + info->lost)
		abort();
	proclife_tasks_close(tasks);
	proclife_latency_free(latency);
	proclife_tree_free(tree);
	proclife_tasks_free(tasks);
}

/* Only a complete recording has totals. */
static void end_totals(void)
{
	valid.totals = totals;
	if (valid.run.complete)
		return;
	valid.streams = 0;
	valid.bytes = 0;
	valid.run.records = 0;
	valid.run.lost = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proclife_source *source;
	struct proclife_fault fault;
	size_t part, text_size, at;
	uint8_t how;
	char *text;

	if (size < 3)
		return 0;
	begin();
	how = *data++;
	size--;
	valid.streams = 0;
	valid.bytes = 0;
	valid.run.records = 0;
	valid.run.lost = 0;
	bytes_there = 0;
	valid.run.complete = how & 16;
	if (how & 1) {
		text_size = (data[0] | data[1] << 8) % (size - 1);
		put("metadata", data + 2, text_size);
		data += 2 + text_size;
		size -= 2 + text_size;
	}
	part = how & 4 ? size / 2 : size / 10;
	put_stream("cpu_0", data + part, size - part, 0, how);
	if (how & 4)
		put_stream("cpu_1", data, part, 1, how);
	else
		put("cpu_1", "", 0); /* no part of a complete recording */
	put_stream("snapshot", data, part, PROCLIFE_CPU_SNAPSHOT, how);
	if (how & 64) {
		take_away("cpu_0");
		take_away("cpu_0.zst");
	}
	if (!(how & 1)) {
		end_totals();
		text = proclife_metadata_text(&valid, &text_size, &at);
		if (!text)
			abort();
		put("metadata", text, text_size);
		free(text);
	}
	if (proclife_recording_open(&source, dir, &fault)) {
		if (!fault.text[0])
			abort();
		return 0;
	}
	use(source);
	proclife_source_free(source);
	return 0;
}
