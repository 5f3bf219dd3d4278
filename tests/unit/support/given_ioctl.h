/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests with "WRAP: ioctl": the fake device is a plain file, whose SNAPSHOT ioctl recorded.c stands in for. */
#ifndef UNIT_GIVEN_IOCTL_H
#define UNIT_GIVEN_IOCTL_H

#include "recorded.h"

int __wrap_ioctl(int fd, unsigned long request, void *data);

int __wrap_ioctl(int fd, unsigned long request, void *data)
{
	(void)fd;
	return given_ioctl(request, data);
}

#endif
