// SPDX-License-Identifier: GPL-2.0-only
// WRAP: machine
/* Why there is no device, on machines whose kernel and installed modules are made up. */
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <origin/diagnose.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define RUNNING "6.1.0-running"

static const char *installed_for; /* this kernel; NULL: for none */
static bool with_akmods, with_dkms; /* which of them has the source */
static char modules[] = "/tmp/proclife-test-XXXXXX"; /* replaces /lib/modules */

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
int __wrap_access(const char *path, int mode);
int __wrap_uname(struct utsname *uts);
bool __wrap_modules_have(const char *release);

DIR *__wrap_opendir(const char *path)
{
	char sources[64];

	if (!strcmp(path, "/lib/modules"))
		return __real_opendir(modules);
	if (strcmp(path, "/usr/src") || !with_dkms)
		return NULL;
	snprintf(sources, sizeof(sources), "%s/" RUNNING, modules);
	return __real_opendir(sources);
}

/* The module is not loaded. */
int __wrap_access(const char *path, int mode)
{
	(void)mode;
	return with_akmods && !strcmp(path, "/usr/src/akmods/proclife-kmod.latest") ? 0 : -1;
}

int __wrap_uname(struct utsname *uts)
{
	strcpy(uts->release, RUNNING);
	return 0;
}

bool __wrap_modules_have(const char *release)
{
	return installed_for && !strcmp(release, installed_for);
}

static void expect(void (*diagnose)(int error), int error, const char *words)
{
	char said[1000] = "";
	int out = memfd_create("said", MFD_CLOEXEC), own = dup(STDERR_FILENO);

	assert_int_equal(dup2(out, STDERR_FILENO), STDERR_FILENO);
	diagnose(error);
	assert_int_equal(dup2(own, STDERR_FILENO), STDERR_FILENO);
	assert_true(pread(out, said, sizeof(said) - 1, 0) > 0);
	close(out);
	close(own);
	if (!strstr(said, words))
		fail_msg("'%s' without '%s'", said, words);
}

static void diagnose_device(int error)
{
	diagnose_open(error, NULL);
}

/* Expects this reason why there is no device. */
static void expect_absent(const char *kernel, const char *words)
{
	installed_for = kernel;
	expect(diagnose_device, -ENOENT, words);
}

static int setup(void **state)
{
	static const char *const folders[] = {
		"5.5.5", RUNNING, RUNNING "/proclife-1.2.3", "6.6.6",
	};
	char path[64];

	(void)state;
	if (!mkdtemp(modules))
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", modules, folders[i]);
		if (mkdir(path, 0700))
			return -1;
	}
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(modules, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void test_no_device(void **state)
{
	(void)state;
	with_akmods = with_dkms = false;
	expect_absent(RUNNING, "/dev/proclife: module not loaded; run 'modprobe proclife' as root, "
			       "or add --load\n");
	expect_absent("5.5.5", "/dev/proclife: module built for 5.5.5, not for the running " RUNNING
			       "; install the package proclife-dkms or akmod-proclife, or run "
			       "'make dkms-install' in proclife's source, as root\n");
	expect_absent(NULL, "/dev/proclife: module not installed; install the package ");
	with_dkms = true;
	expect_absent("5.5.5", "/dev/proclife: module built for 5.5.5, not for the running " RUNNING
			       "; install its headers and run 'dkms autoinstall' as root\n");
	expect_absent(NULL, "/dev/proclife: module not built for the running kernel " RUNNING
			    "; install its headers and run 'dkms autoinstall' as root\n");
	with_dkms = false;
	with_akmods = true;
	expect_absent("5.5.5", "; install its kernel-devel and run 'akmods' as root\n");
	expect_absent(NULL, "/dev/proclife: module not built for the running kernel " RUNNING
			    "; install its kernel-devel and run 'akmods' as root\n");
}

/* Secure Boot, and a module of another build. */
static void test_load(void **state)
{
	(void)state;
	with_akmods = false;
	expect(diagnose_load, -EKEYREJECTED,
	       "--load: the kernel does not trust the module's signature; ");
	expect(diagnose_load, -ENOKEY,
	       "'mokutil --import /var/lib/dkms/mok.pub' as root, and reboot\n");
	with_akmods = true;
	expect(diagnose_load, -ENOKEY,
	       "'mokutil --import /etc/pki/akmods/certs/public_key.der' as root, and reboot\n");
	installed_for = "5.5.5";
	expect(diagnose_load, -ENOEXEC,
	       "--load: module built for another kernel than the running " RUNNING "; rebuild it ");
	installed_for = RUNNING;
	expect(diagnose_load, -ENOEXEC,
	       "--load: the kernel " RUNNING " refuses the module's format; ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_device),
		cmocka_unit_test(test_load),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
