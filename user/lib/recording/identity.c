// SPDX-License-Identifier: LGPL-2.1-or-later
/* What identifies a process beyond one trace: the machine's boot, its start and its tgid. */
#include "recording/ctf.h"
#include "base/siphash.h"
#include "source/source.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

void proclife_boot_id_read(uint8_t *id)
{
	char text[37] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!file)
		return;
	if (fread(text, 1, 36, file) == 36) {
		text[36] = '"';
		if (!proclife_uuid_parse(text, text + sizeof(text), id))
			memset(id, 0, PROCLIFE_UUID_BYTES);
	}
	fclose(file);
}

const uint8_t *proclife_source_boot_id(const struct proclife_source *source)
{
	const struct proclife_run_info *run = proclife_recording_info(source);
	const uint8_t *id = run ? run->boot_id : source->boot_id;

	return proclife_uuid_is_set(id) ? id : NULL;
}

uint64_t proclife_source_identity(const struct proclife_source *source, uint32_t tgid, uint64_t start)
{
	const uint8_t *id = proclife_source_boot_id(source);
	struct proclife_secret boot = { { 0, 0 } };
	struct {
		uint64_t start;
		uint32_t tgid;
	} __attribute__((packed)) process = { htole64(start), htole32(tgid) };
	uint64_t hash;

	if (id)
		memcpy(boot.key, id, sizeof(boot.key));
	boot.key[0] = le64toh(boot.key[0]);
	boot.key[1] = le64toh(boot.key[1]);
	hash = proclife_siphash(&boot, &process, sizeof(process));
	return hash ? hash : 1;
}
