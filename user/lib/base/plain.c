// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void set_text(struct proclife_fault *fault, const char *format, va_list args)
{
	vsnprintf(fault->text, sizeof(fault->text), format, args);
}

void proclife_fault_set(struct proclife_fault *fault, const char *format, ...)
{
	va_list args;

	if (!fault)
		return;
	va_start(args, format);
	set_text(fault, format, args);
	va_end(args);
}

/* If the folder's name is too long for the room: its beginning and its end. */
static void set_path(struct proclife_fault *fault, const char *folder, const char *file)
{
	size_t length = strlen(folder), tail = file ? strlen(file) + 2 : 1;
	size_t room = sizeof(fault->path) - tail;

	if (length <= room) {
		memcpy(fault->path, folder, length);
	} else {
		length = room;
		memcpy(fault->path, folder, room / 2);
		strcpy(fault->path + room / 2, "...");
		memcpy(fault->path + room / 2 + 3, folder + strlen(folder) - (room - room / 2 - 3),
		       room - room / 2 - 3);
	}
	snprintf(fault->path + length, tail, "%s%s", file ? "/" : "", file ? file : "");
}

void proclife_fault_at(struct proclife_fault *fault, const char *folder, const char *file,
		       const char *format, ...)
{
	va_list args;

	if (!fault)
		return;
	set_path(fault, folder, file);
	va_start(args, format);
	set_text(fault, format, args);
	va_end(args);
}

/* In the C locale, which always exists and takes no memory. */
const char *proclife_strerror(int error)
{
	return strerror_l(error, newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

const char *proclife_remedy(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return "; read it as its owner, or as root";
	case EMFILE:
	case ENFILE:
		return "; raise the limit of open files ('ulimit -n')";
	case EAGAIN:
		return "; try again";
	default:
		return "";
	}
}

/* For EAGAIN: what open(2) of a plain file would wait for. */
static const char *reason(int error)
{
	return error == EAGAIN ? "a program that holds a lease on it was asked to give it up" :
				 proclife_strerror(error);
}

int proclife_plain_open(int dir, const char *folder, const char *file, struct stat *st,
			struct proclife_fault *fault)
{
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	int err = fd < 0 || fstat(fd, st) ? -errno : 0;

	if (err == -ELOOP || (!err && !S_ISREG(st->st_mode))) {
		proclife_fault_at(fault, folder, file, "%s, not a plain file, as the files of a recording are; copy the recording again from where it was made",
				  err	? "a symbolic link" :
				  S_ISDIR(st->st_mode)	? "a folder" :
				  S_ISFIFO(st->st_mode) ? "a FIFO" : "a device or the like");
		err = -ENOEXEC;
	} else if (err) {
		proclife_fault_at(fault, folder, file, "cannot open: %s%s", reason(-err),
				  proclife_remedy(-err));
	}
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}
