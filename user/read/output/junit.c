// SPDX-License-Identifier: GPL-2.0-only
#include "output/digits.h"
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
	const char *path; /* as it was given; NULL: no file is open */
	char *target;	  /* what is written: another one if that is a link */
	char *temporary;  /* becomes the target; NULL: that is no plain file, and written at once */
	int fd;
	FILE *cases;
	char *text; /* of them */
	size_t size;
	unsigned long count;
	unsigned long failures;
	unsigned long errors;
	unsigned long skipped;
} junit = { .fd = -1 };

static int say_error(int error)
{
	message("--junit: %s: %s; name a file that can be written", quoted(junit.path), strerror(error));
	junit.path = NULL;
	return STATUS_ERROR;
}

/* A new file beside it, with the mode that it has or a new one gets. */
static int open_temporary(const struct stat *old)
{
	mode_t mask;

	if (asprintf(&junit.temporary, "%s.XXXXXX", junit.target) < 0)
		die_no_memory();
	junit.fd = mkostemp(junit.temporary, O_CLOEXEC);
	if (junit.fd < 0)
		return errno;
	mask = umask(0);
	umask(mask);
	if (fchmod(junit.fd, old ? old->st_mode & 0777 : 0666 & ~mask))
		return errno;
	return 0;
}

int junit_open(const char *path)
{
	struct stat st;
	bool exists = !stat(path, &st);
	int error;

	junit.path = path;
	if (!*path)
		return say_error(ENOENT);
	if (exists && S_ISDIR(st.st_mode))
		return say_error(EISDIR);
	/* A read-only file stays what it is, although its folder would let it be replaced. */
	if (exists && access(path, W_OK))
		return say_error(errno);
	junit.target = exists && S_ISREG(st.st_mode) ? realpath(path, NULL) : strdup(path);
	if (!junit.target)
		return say_error(errno);
	if (exists && !S_ISREG(st.st_mode)) {
		junit.fd = open(junit.target, O_WRONLY | O_CLOEXEC);
		error = junit.fd < 0 ? errno : 0;
	} else {
		error = open_temporary(exists ? &st : NULL);
	}
	if (error)
		return say_error(error);
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

static void write_all(FILE *out)
{
	static const char counts[] = "tests=\"%lu\" failures=\"%lu\" errors=\"%lu\"";

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites ", out);
	fprintf(out, counts, junit.count, junit.failures, junit.errors);
	fputs(">\n\t<testsuite name=\"proclife-read\" ", out);
	fprintf(out, counts, junit.count, junit.failures, junit.errors);
	fprintf(out, " skipped=\"%lu\">\n", junit.skipped);
	fwrite(junit.text, 1, junit.size, out);
	fputs("\t</testsuite>\n</testsuites>\n", out);
}

/* 0 or an errno. */
static int write_file(void)
{
	FILE *out = fdopen(junit.fd, "w");
	int error = 0;

	if (!out)
		die_no_memory();
	errno = 0;
	write_all(out);
	if (fflush(out) || ferror(out))
		error = errno ? errno : EIO;
	if (!error && junit.temporary && fsync(junit.fd))
		error = errno;
	if (fclose(out) && !error)
		error = errno;
	if (!error && junit.temporary && rename(junit.temporary, junit.target))
		error = errno;
	if (error && junit.temporary)
		unlink(junit.temporary);
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
	free(junit.temporary);
	free(junit.target);
	junit.path = NULL;
	return status;
}
