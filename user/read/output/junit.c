// SPDX-License-Identifier: GPL-2.0-only
#include "output/digits.h"
#include "output/file_owner.h"
#include "output/junit.h"
#include "output/message.h"
#include "output/quoted.h"
#include "output/unicode.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	const char *path; /* NULL: no file is open */
	int fd;
	FILE *cases;
	char *text; /* of them */
	size_t size;
	unsigned long count;
	unsigned long failures;
	unsigned long errors;
	unsigned long skipped;
} junit;

static int say_error(int error)
{
	const char *path = quoted(junit.path);

	if (error == ENXIO)
		message("--junit: %s: nothing reads from it; start what reads it first, or name a file", path);
	else if (error == EMLINK)
		message("--junit: %s: a symbolic link in a folder where others can put one; name the file that it leads to",
			path);
	else
		message("--junit: %s: %s; name a file that can be written", path, strerror(error));
	junit.path = NULL;
	return STATUS_ERROR;
}

/* The program that has opened that for us knows what it is. */
static bool is_descriptor(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		size_t length = strlen(folders[i]);

		if (!strncmp(path, folders[i], length) && !strchr(path + length, '/'))
			return true;
	}
	return !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/stderr");
}

/* A link is followed where no other user can have put it. */
static int open_in(int parent, const char *name, bool *made)
{
	int flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, fd;
	struct stat st;

	if (fstat(parent, &st) || !owner_is_trusted(&st) || owner_is_shared(&st))
		flags |= O_NOFOLLOW;
	fd = openat(parent, name, flags);
	/* One that we make is not asked whose it is: over NFS it need not be root's. */
	if (fd < 0 && errno == ENOENT) {
		fd = openat(parent, name, flags | O_CREAT | O_EXCL, 0666);
		*made = fd >= 0;
		if (fd < 0 && errno == EEXIST) /* a link to what is not there yet */
			fd = openat(parent, name, flags | O_CREAT, 0666);
	}
	if (fd < 0 && errno == ELOOP && (flags & O_NOFOLLOW))
		errno = EMLINK;
	return fd;
}

static int open_file(const char *path, bool *made)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *above = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	int parent, fd, error;

	if (!above)
		die_no_memory();
	parent = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(above);
	if (parent < 0)
		return -1;
	fd = open_in(parent, slash && !*name ? "." : name, made);
	error = errno;
	close(parent);
	errno = error;
	return fd;
}

/* As it is: what is there stays until there is something to write. */
int junit_open(const char *path)
{
	bool known = is_descriptor(path);

	junit.path = path;
	junit.fd = known ? open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : open_file(path, &known);
	/* It is not to wait for a FIFO's reader to come, but for it to read. */
	if (junit.fd < 0 || fcntl(junit.fd, F_SETFL, 0))
		return say_error(errno);
	if (!known && owner_say_file("--junit:", path, junit.fd)) {
		close(junit.fd);
		junit.path = NULL;
		return STATUS_ERROR;
	}
	junit.cases = open_memstream(&junit.text, &junit.size);
	if (!junit.cases)
		die_no_memory();
	return 0;
}

/* XML 1.0 has no control characters and no U+FFFE and U+FFFF, not even as references. */
static bool is_allowed(const unsigned char *s, size_t length)
{
	if (length == 1)
		return *s >= 0x20 && *s != 0x7f;
	if (length == 2) /* U+0080 to U+009F are allowed, and steer terminals */
		return *s != 0xc2 || s[1] >= 0xa0;
	return length && memcmp(s, "\xef\xbf\xbe", 3) && memcmp(s, "\xef\xbf\xbf", 3);
}

static void put(FILE *out, const char *s)
{
	size_t n = strlen(s), length;

	for (; n; s += length, n -= length) {
		const unsigned char *bytes = (const unsigned char *)s;

		length = utf8_length(bytes, n);
		if (!is_allowed(bytes, length)) {
			length = 1;
			fprintf(out, "\\x%02x", *bytes);
		} else if (strchr("&<>\"'", *s)) {
			fprintf(out, "&#%d;", *s);
		} else {
			fwrite(s, 1, length, out);
		}
	}
}

void junit_case(const char *class, const char *name, enum junit_result result, const char *text)
{
	static const char *const elements[] = {
		[JUNIT_FAILED] = "failure", [JUNIT_ERROR] = "error", [JUNIT_SKIPPED] = "skipped",
	};

	if (!junit.path)
		return;
	junit.count++;
	junit.failures += result == JUNIT_FAILED;
	junit.errors += result == JUNIT_ERROR;
	junit.skipped += result == JUNIT_SKIPPED;
	fputs("\t\t<testcase classname=\"", junit.cases);
	put(junit.cases, class);
	fputs("\" name=\"", junit.cases);
	put(junit.cases, name);
	if (result == JUNIT_PASSED) {
		fputs("\"/>\n", junit.cases);
		return;
	}
	fprintf(junit.cases, "\">\n\t\t\t<%s message=\"", elements[result]);
	put(junit.cases, text);
	fputs("\"/>\n\t\t</testcase>\n", junit.cases);
}

/* A file gets all of it, or is empty. 0 or an errno. */
static int write_file(void)
{
	struct stat st;
	bool is_file = !fstat(junit.fd, &st) && S_ISREG(st.st_mode);
	int error = 0;

	if (is_file && ftruncate(junit.fd, 0))
		error = errno;
	else if (dprintf(junit.fd,
			 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			 "<testsuites tests=\"%lu\" failures=\"%lu\" errors=\"%lu\">\n"
			 "\t<testsuite name=\"proclife-read\" tests=\"%lu\" failures=\"%lu\" "
			 "errors=\"%lu\" skipped=\"%lu\">\n%s\t</testsuite>\n</testsuites>\n",
			 junit.count, junit.failures, junit.errors, junit.count, junit.failures,
			 junit.errors, junit.skipped, junit.text) < 0)
		error = errno;
	if (error && is_file && ftruncate(junit.fd, 0))
		error = errno;
	if (close(junit.fd) && !error)
		error = errno;
	return error;
}

int junit_close(int status)
{
	int error;

	if (!junit.path)
		return status;
	if (status == STATUS_LOST)
		junit_case("proclife-read", "complete", JUNIT_ERROR,
			   "the result is incomplete; standard error says why");
	else if (status && status != STATUS_FAILED)
		junit_case("proclife-read", "judged", JUNIT_ERROR,
			   "it could not be judged; standard error says why");
	if (fclose(junit.cases))
		die_no_memory();
	error = write_file();
	if (error)
		status = say_error(error);
	free(junit.text);
	junit.path = NULL;
	return status;
}
