// SPDX-License-Identifier: GPL-2.0-only
#include "fixture_device.h"

struct fake_device *device;
struct proclife_source *source;

void begin_device(uint32_t cpus, uint64_t records_per_ring)
{
	device = fake_device_new(cpus, records_per_ring);
	fake_device_add_rings(device);
	source = fake_device_open(device);
}

int end_device(void **state)
{
	(void)state;
	proclife_source_free(source);
	if (device)
		fake_device_free(device);
	source = NULL;
	device = NULL;
	return 0;
}
