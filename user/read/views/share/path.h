/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_PATH_H
#define READ_PATH_H

#include <string.h>

/* Its last part, without folders. All of it if it ends in a slash. */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif
