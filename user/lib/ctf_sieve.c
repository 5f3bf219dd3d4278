// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A packet in which something is wrong. A record that cannot be one of this stream is bad by itself.
 * Of those whose times contradict each other, the fewest are taken for bad: what stays is a longest
 * sequence of them that is in order.
 */
#include "ctf_reader.h"

static void keep(struct proclife_ctf_reader *reader, uint64_t index)
{
	reader->kept[index / 64] |= UINT64_C(1) << index % 64;
}

void proclife_ctf_reader_sieve(struct proclife_ctf_reader *reader)
{
	const struct proclife_record *records = reader->next;
	uint64_t count = (uint64_t)(reader->end - records), length = 0;
	uint16_t last[PROCLIFE_CTF_RECORDS]; /* by length: of the sequences, the one that ends first */
	uint16_t before[PROCLIFE_CTF_RECORDS];

	memset(reader->kept, 0, sizeof(reader->kept));
	reader->sieved = true;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t ts = records[i].ts, low = 0, high = length;

		if (ts < reader->floor || ts > reader->packet_end ||
		    !proclife_ctf_reader_fits(reader, &records[i]))
			continue;
		while (low < high) {
			uint64_t middle = (low + high) / 2;

			if (records[last[middle]].ts <= ts)
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low ? last[low - 1] : 0;
		last[low] = (uint16_t)i;
		if (low == length)
			length++;
	}
	for (uint64_t at = length ? last[length - 1] : 0; length; length--) {
		keep(reader, at);
		at = before[at];
	}
}
