// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a device's source yields beside the rings, in a stream of its own: the tasks that existed when the device
 * was asked, and before them, records that the caller has kept for longer than the rings.
 */
#include "device/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int refill(struct proclife_stream *stream)
{
	(void)stream;
	return 0;
}

static int add_stream(struct proclife_device *device)
{
	struct proclife_stream *stream = &device->snapshot;
	int err;

	if (stream->refill)
		return 0;
	stream->order = PROCLIFE_CPU_SNAPSHOT;
	err = proclife_merge_add(&device->source.merge, stream);
	if (!err)
		stream->refill = refill;
	return err;
}

static void set_records(struct proclife_device *device, struct proclife_record *records, size_t count)
{
	struct proclife_stream *stream = &device->snapshot;

	free(device->snapshot_records);
	device->snapshot_records = records;
	stream->cur = records;
	stream->end = records + count;
	proclife_stream_begin(stream);
}

int proclife_device_snapshot(struct proclife_source *source)
{
	struct proclife_device *device = (struct proclife_device *)source;
	struct proclife_record *records = NULL;
	size_t count;
	int err = device->own->snapshot(device, &records, &count);

	if (!err)
		err = add_stream(device);
	if (err) {
		free(records);
		return err;
	}
	set_records(device, records, count);
	return 0;
}

int proclife_device_prepend(struct proclife_source *source, const struct proclife_record *records,
			    size_t count)
{
	struct proclife_device *device = (struct proclife_device *)source;
	size_t size = count * sizeof(*records);
	struct proclife_record *copy;

	if (!device->rewind)
		return -ENOTSUP;
	for (size_t i = 0; i < count; i++)
		if (records[i].cpu >= device->header.cpus || records[i].ts > PROCLIFE_TIME_MAX || (i && records[i].ts < records[i - 1].ts))
			return -EINVAL;
	copy = malloc(size ? size : 1);
	if (!copy)
		return -ENOMEM;
	if (size) /* otherwise there may be nothing at all */
		memcpy(copy, records, size);
	free(device->older);
	device->older = copy;
	device->older_count = count;
	return 0;
}

/*
 * Does the ring not hold it any more? A TASK has never been in one. Of several rings of a CPU, some hold records from
 * before the beginning of its history.
 */
static bool is_older(const struct proclife_device *device, const struct proclife_record *record,
		     proclife_rings_hold_fn hold)
{
	const struct proclife_stream *cpu = device->cpus[record->cpu];

	if (record->type == PROCLIFE_TASK || !cpu)
		return true;
	return record->ts < cpu->gap.to && !(device->merged && hold(device, record));
}

int proclife_snapshot_prepend(struct proclife_device *device, proclife_rings_hold_fn hold)
{
	const struct proclife_stream *stream = &device->snapshot;
	size_t tasks = (size_t)(stream->end - stream->cur), count = 0;
	struct proclife_record *records;
	int err;

	if (!device->older_count)
		return 0;
	err = add_stream(device);
	if (err)
		return err;
	records = malloc((device->older_count + tasks) * sizeof(*records));
	if (!records)
		return -ENOMEM;
	for (size_t i = 0; i < device->older_count; i++)
		if (is_older(device, &device->older[i], hold) &&
		    (!tasks || device->older[i].ts <= stream->cur->ts))
			records[count++] = device->older[i];
	if (tasks)
		memcpy(records + count, stream->cur, tasks * sizeof(*records));
	set_records(device, records, count + tasks);
	free(device->older);
	device->older = NULL;
	device->older_count = 0;
	return 0;
}
