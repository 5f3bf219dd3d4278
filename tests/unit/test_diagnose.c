// SPDX-License-Identifier: GPL-2.0-only
/* Why there is no device: on machines whose kernel and installed modules are made up. */
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <libkmod.h>
#include <run/diagnose.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define RUNNING "6.1.0-running"

static const char *installed_for; /* this kernel; NULL: for none */
static char modules[] = "/tmp/proclife-test-XXXXXX"; /* in the place of /lib/modules */

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
int __wrap_access(const char *path, int mode);
int __wrap_uname(struct utsname *uts);
struct kmod_ctx *__wrap_kmod_new(const char *directory, const char *const *config);
struct kmod_ctx *__wrap_kmod_unref(struct kmod_ctx *kmod);
int __wrap_kmod_module_new_from_lookup(struct kmod_ctx *kmod, const char *alias,
				       struct kmod_list **list);
int __wrap_kmod_module_unref_list(struct kmod_list *list);

DIR *__wrap_opendir(const char *path)
{
	return strcmp(path, "/lib/modules") ? NULL : __real_opendir(modules);
}

/* It is not loaded. */
int __wrap_access(const char *path, int mode)
{
	(void)path;
	(void)mode;
	return -1;
}

int __wrap_uname(struct utsname *uts)
{
	strcpy(uts->release, RUNNING);
	return 0;
}

/* Whatever it gives out stands for the modules of this kernel. */
struct kmod_ctx *__wrap_kmod_new(const char *directory, const char *const *config)
{
	(void)config;
	return (struct kmod_ctx *)strdup(strrchr(directory, '/') + 1);
}

struct kmod_ctx *__wrap_kmod_unref(struct kmod_ctx *kmod)
{
	free(kmod);
	return NULL;
}

int __wrap_kmod_module_new_from_lookup(struct kmod_ctx *kmod, const char *alias,
				       struct kmod_list **list)
{
	assert_string_equal(alias, "proclife");
	if (installed_for && !strcmp((const char *)kmod, installed_for))
		*list = (struct kmod_list *)modules;
	return 0;
}

int __wrap_kmod_module_unref_list(struct kmod_list *list)
{
	(void)list;
	return 0;
}

static void expect(const char *kernel, const char *words)
{
	char said[1000] = "";
	int out = memfd_create("said", MFD_CLOEXEC), own = dup(STDERR_FILENO);

	installed_for = kernel;
	assert_int_equal(dup2(out, STDERR_FILENO), STDERR_FILENO);
	diagnose_open(-ENOENT, NULL);
	assert_int_equal(dup2(own, STDERR_FILENO), STDERR_FILENO);
	assert_true(pread(out, said, sizeof(said) - 1, 0) > 0);
	close(out);
	close(own);
	if (!strstr(said, words))
		fail_msg("'%s' without '%s'", said, words);
}

static void test_no_device(void **state)
{
	static const char *const kernels[] = { "5.5.5", RUNNING, "6.6.6" };
	char path[64];

	(void)state;
	assert_non_null(mkdtemp(modules));
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		snprintf(path, sizeof(path), "%s/%s", modules, kernels[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	expect(RUNNING, "/dev/proclife: module not loaded; run 'modprobe proclife'");
	expect("5.5.5", "/dev/proclife: module built for another kernel: installed for 5.5.5, "
			"running " RUNNING "; run 'dkms autoinstall'\n");
	expect(NULL, "/dev/proclife: module not installed; ");
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		snprintf(path, sizeof(path), "%s/%s", modules, kernels[i]);
		assert_int_equal(rmdir(path), 0);
	}
	assert_int_equal(rmdir(modules), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
