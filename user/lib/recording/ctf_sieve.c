// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sorts out a packet with bad records. A record that cannot belong to this stream is bad by itself.
 * If times contradict each other, as few records as possible are taken for bad: a longest sequence
 * that is in order stays.
 */
#include "recording/ctf_packet.h"

void proclife_ctf_sieve(const struct proclife_ctf_known *known,
			const struct proclife_record *records, uint64_t count, uint64_t floor,
			uint64_t end, uint64_t kept[PROCLIFE_KEPT_WORDS])
{
	uint64_t length = 0;
	uint16_t last[PROCLIFE_CTF_RECORDS]; /* by length: end of the sequence that ends earliest */
	uint16_t before[PROCLIFE_CTF_RECORDS];

	memset(kept, 0, PROCLIFE_KEPT_WORDS * sizeof(*kept));
	for (uint64_t i = 0; i < count; i++) {
		uint64_t ts = records[i].ts, low = 0, high = length;

		if (ts < floor || ts > end || !proclife_ctf_fits(known, &records[i]))
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
		kept[at / 64] |= UINT64_C(1) << at % 64;
		at = before[at];
	}
}
