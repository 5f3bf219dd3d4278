// SPDX-License-Identifier: GPL-2.0-only
/* Every message names the thing, the reason and the remedy. */
#include "output/message.h"
#include "output/quoted.h"
#include "origin/diagnose.h"
#include "origin/lockdown.h"
#include "origin/namespaces.h"
#include "origin/modules.h"
#include "views/views.h"
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <proclife.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Is it installed for another kernel? Sets @release to the last one in the order of names. */
static bool installed_elsewhere(const char *running, char *release, size_t size)
{
	DIR *modules = opendir("/lib/modules");
	struct dirent *entry;
	bool found = false;

	if (!modules)
		return false;
	while ((entry = readdir(modules))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, running))
			continue;
		if ((found && strverscmp(entry->d_name, release) < 0) ||
		    !modules_have(entry->d_name))
			continue;
		snprintf(release, size, "%s", entry->d_name);
		found = true;
	}
	closedir(modules);
	return found;
}

static bool dkms_knows(void)
{
	DIR *sources = opendir("/usr/src");
	struct dirent *entry;
	bool found = false;

	if (!sources)
		return false;
	while (!found && (entry = readdir(sources)))
		found = !strncmp(entry->d_name, MODULE_NAME "-", strlen(MODULE_NAME) + 1);
	closedir(sources);
	return found;
}

static bool akmods_knows(void)
{
	return !access("/usr/src/akmods/" MODULE_NAME "-kmod.latest", F_OK);
}

/* Has it built for the running kernel, which the message has named last. */
static const char *how_to_build(void)
{
	if (akmods_knows())
		return "install its kernel-devel and run 'akmods' as root";
	if (dkms_knows())
		return "install its headers and run 'dkms autoinstall' as root";
	return "install the package proclife-dkms or akmod-proclife, or run 'make dkms-install' in "
	       "proclife's source, as root";
}

/* Why there is no device, and what to do about it. */
static void explain_absent(char *why, size_t size)
{
	struct utsname uts;
	char other[256];

	uname(&uts);
	if (module_is_loaded())
		snprintf(why, size,
			 "no such device, though the module is loaded; is /dev a devtmpfs here? In a container, hand the device through");
	else if (modules_have(uts.release))
		snprintf(why, size, "module not loaded; run 'modprobe %s' as root, or add --load", MODULE_NAME);
	else if (installed_elsewhere(uts.release, other, sizeof(other)))
		snprintf(why, size, "module built for %s, not for the running %s; %s", other, uts.release, how_to_build());
	else if (akmods_knows() || dkms_knows())
		snprintf(why, size, "module not built for the running kernel %s; %s", uts.release, how_to_build());
	else
		snprintf(why, size, "module not installed; %s", how_to_build());
}

static void diagnose_absent(const char *path)
{
	char why[768];

	explain_absent(why, sizeof(why));
	message("%s: %s", path, why);
}

void diagnose_none(const char *bpf)
{
	char why[768];

	explain_absent(why, sizeof(why));
	message("%s: %s. And BPF programs cannot record here: %s", PROCLIFE_DEVICE, why, bpf);
}

bool module_is_installed(void)
{
	struct utsname uts;

	uname(&uts);
	return module_is_loaded() || modules_have(uts.release);
}

/* The group that may read it; NULL if there is none but root's. */
static const char *readers_of(const char *path)
{
	const struct group *group;
	struct stat st;

	if (stat(path, &st) || !st.st_gid || !(st.st_mode & S_IRGRP))
		return NULL;
	group = getgrgid(st.st_gid);
	return group ? group->gr_name : NULL;
}

static void diagnose_denied(const char *path)
{
	const char *readers = geteuid() ? readers_of(path) : NULL;
	char mode[32];

	if (!in_namespace("/proc/self/ns/user", INITIAL_USER_NAMESPACE))
		message("%s: permission denied: we are in a user namespace, as in a rootless container, and the device shows the whole machine; run outside of it",
			path);
	else if (readers && !in_namespace("/proc/self/ns/pid", INITIAL_PID_NAMESPACE))
		message("%s: permission denied: we are in a PID namespace, as in a container, where the group %s has no say; run outside of it, or with CAP_PERFMON",
			path, readers);
	else if (readers)
		message("%s: permission denied; run as root, or as a member of the group %s", path, readers);
	else if (geteuid())
		message("%s: permission denied; run as root, or give a group access as 60-proclife.rules of udev shows",
			path);
	else if (locked_down(mode))
		message("%s: refused: the kernel is locked down (%s); boot without Secure Boot or lockdown= to trace",
			path, mode);
	else
		message("%s: permission denied, though we are root; in a container, add CAP_PERFMON ('--cap-add PERFMON'); otherwise a security module forbids it",
			path);
}

void diagnose_open(int error, const char *path)
{
	bool usual = !path || !strcmp(path, PROCLIFE_DEVICE);

	path = quoted(path ? path : PROCLIFE_DEVICE);
	switch (-error) {
	case ENOENT:
	case ENXIO:
		if (usual)
			diagnose_absent(path);
		else
			message("%s: %s", path, strerror(-error));
		break;
	case EACCES:
	case EPERM:
		diagnose_denied(path);
		break;
	case EPROTO:
		message("%s: the module speaks another version of the interface than this program; install both from the same release, and reload the module",
			path);
		break;
	case ENODEV:
		if (usual && !module_is_loaded())
			diagnose_absent(path);
		else
			message("%s: not a proclife device", path);
		break;
	case ENOTSUP:
		message("%s: a plain file, whose records have another clock than this time namespace; read it outside, or read the device",
			path);
		break;
	case ENOMEM:
		message("%s: not enough memory to map the rings; raise 'ulimit -v' or the cgroup's memory.max if one of them is the limit, or give the rings less: 'modprobe %s ring_kb=256'",
			path, MODULE_NAME);
		break;
	default:
		message("%s: cannot open: %s", path, strerror(-error));
	}
}

void diagnose_read(int error, const char *name)
{
	if (error == -ENOMEM)
		message("%s: not enough memory to follow all tasks; raise the cgroup's memory.max if that is the limit, or free some memory",
			quoted(name));
	else
		message("%s: %s", quoted(name), strerror(-error));
}

/* The key of what built the module, unless another one was chosen. */
static const char *signing_key(void)
{
	return akmods_knows() ? "/etc/pki/akmods/certs/public_key.der" : "/var/lib/dkms/mok.pub";
}

void diagnose_load(int error)
{
	struct utsname uts;
	char other[256];
	char mode[32];

	uname(&uts);
	switch (-error) {
	case ENOENT:
	case ENOSYS:
		diagnose_absent(PROCLIFE_DEVICE);
		break;
	case EPERM:
	case EACCES:
		if (!geteuid() && locked_down(mode))
			message("--load: refused: the kernel is locked down (%s) and the module's signature is not trusted; enrol its key: 'mokutil --import %s' as root, and reboot",
				mode, signing_key());
		else
			message("--load: permission denied; only root may load modules");
		break;
	case EKEYREJECTED:
	case ENOKEY:
		message("--load: the kernel does not trust the module's signature; enrol the key that signed it: 'mokutil --import %s' as root, and reboot",
			signing_key());
		break;
	case ENOEXEC:
		if (installed_elsewhere(uts.release, other, sizeof(other)))
			message("--load: module built for another kernel than the running %s; rebuild it for this one",
				uts.release);
		else
			message("--load: the kernel %s refuses the module's format; rebuild it; 'dmesg' has the reason",
				uts.release);
		break;
	case ENOMEM:
		message("--load: not enough memory for the rings ('dmesg' says what they take); give them less: 'modprobe %s ring_kb=256'",
			MODULE_NAME);
		break;
	default:
		message("--load: cannot load module %s: %s; 'dmesg' may have details", MODULE_NAME,
			strerror(-error));
	}
}
