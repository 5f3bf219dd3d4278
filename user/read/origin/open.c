// SPDX-License-Identifier: GPL-2.0-only
#include "origin/open.h"
#include "output/message.h"
#include "output/quoted.h"
#include "origin/bpf_load.h"
#include "origin/bpf_why.h"
#include "origin/diagnose.h"
#include "origin/module.h"
#include "views/views.h"
#include <errno.h>
#include <proclife/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The programs of this run; NULL: there are none. */
static struct bpf_load *own;
static bool is_bpf, is_pinned;
static bool has_wishes; /* what is pinned is as this run wants it */

/* Is there no module to read from, as far as its device says? */
static bool has_no_module(int error)
{
	return (error == -ENOENT || error == -ENXIO || error == -ENODEV) && !module_is_loaded();
}

static void note_pinned(const struct options *options)
{
	is_pinned = true;
	if (options->source.has_parameters && !has_wishes)
		message("--source: what is pinned keeps its parameters; --unload it first to have these");
}

/* Why a source of BPF programs that are loaded cannot be opened. Returns the error. */
static int explain_open(int err, char why[BPF_WHY])
{
	switch (err) {
	case -EPROTO:
		snprintf(why, BPF_WHY, BPF_OTHER_VERSION);
		break;
	case -EUCLEAN:
		snprintf(why, BPF_WHY, BPF_NOT_WHOLE);
		break;
	case -ENOTSUP:
		snprintf(why, BPF_WHY, "we are in a time namespace, in which the records' clock is another one; run outside of it");
		break;
	default:
		bpf_explain(why, err, "");
	}
	return err;
}

static bool has_no_pins(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -EACCES || err == -EPERM;
}

static int open_bpf(struct proclife_source **source, const struct options *options, char why[BPF_WHY])
{
	int err;

	is_bpf = true;
	if (!own) {
		err = proclife_bpf_open_pinned(source, NULL);
		if (!err)
			note_pinned(options);
		if (!has_no_pins(err))
			return err ? explain_open(err, why) : 0;
		if (err == -EPERM)
			message(BPF_NOT_OURS ": they are not read");
		err = bpf_load(&own, &options->source, why);
		if (err)
			return err;
		if (options->history)
			message("there is no history: the BPF programs have been loaded for this run; --load keeps them");
	}
	err = proclife_bpf_open(source, bpf_descriptors(own));
	return err ? explain_open(err, why) : 0;
}

/* A folder of pins can be given as the device. */
static bool has_pins(const char *path)
{
	char header[4096];

	return path && snprintf(header, sizeof(header), "%s/" PROCLIFE_BPF_HEADER, path) < (int)sizeof(header) &&
	       !access(header, F_OK);
}

/* What would help at once is said alone, unless the module is there to be loaded. */
static void diagnose_bpf(const struct options *options, int err, const char *option, const char *why)
{
	bool denied = err == -EPERM || err == -EACCES;
	bool is_alone = err == -ENOENT || err == -EPROTO || err == -EUCLEAN || err == -EMFILE || err == -ENOMEM;

	if (options->source.kind == SOURCE_BPF)
		message("%s: %s", option, why);
	else if ((denied && geteuid() && !module_is_installed()) || is_alone)
		message("cannot record: %s", why);
	else
		diagnose_none(why);
}

int source_open(struct proclife_source **source, const struct options *options)
{
	char why[BPF_WHY] = "";
	int err, module = -ENODEV;

	if (has_pins(options->device)) {
		is_bpf = is_pinned = true;
		err = proclife_bpf_open_pinned(source, options->device);
		if (err)
			message("%s: cannot open: %s", quoted(options->device),
				err == -EPROTO ? "pinned by another version of this program" :
				err == -EUCLEAN ? "some pins are missing" : strerror(-err));
		return err;
	}
	if (options->source.kind != SOURCE_BPF && !is_bpf) { /* not another source than the first time */
		module = proclife_device_open(source, options->device);
		if (!module)
			return 0;
		if (options->source.kind == SOURCE_MODULE || options->device || !has_no_module(module)) {
			diagnose_open(module, options->device);
			return module;
		}
	}
	err = open_bpf(source, options, why);
	if (!err)
		return 0;
	diagnose_bpf(options, err, "--source=bpf", why);
	return err;
}

bool source_is_bpf(void)
{
	return is_bpf;
}

bool source_is_pinned(void)
{
	return is_pinned;
}

void source_close(void)
{
	bpf_load_free(own);
	own = NULL;
}

const char *source_name(const struct options *options)
{
	if (options->device)
		return options->device;
	return is_bpf ? "BPF" : PROCLIFE_DEVICE;
}

int source_load(const struct options *options)
{
	char why[BPF_WHY] = "";
	int err;

	if (options->source.kind != SOURCE_BPF && (options->source.kind == SOURCE_MODULE || module_is_installed()))
		return load_module();
	err = bpf_pin(&options->source, why);
	has_wishes = !err;
	if (err >= 0)
		return 0;
	diagnose_bpf(options, err, "--load", why);
	return err;
}

int source_unload(const struct options *options)
{
	char why[BPF_WHY] = "";
	int err = options->source.kind == SOURCE_MODULE ? -ENOENT : bpf_unpin(why);

	if (err && err != -ENOENT) {
		message("--unload: %s", why);
		return err;
	}
	if (options->source.kind == SOURCE_MODULE || (options->source.kind != SOURCE_BPF && module_is_loaded()))
		return unload_module();
	if (err == -ENOENT)
		message("--unload: neither the module is loaded, nor are BPF programs pinned in " PROCLIFE_BPF_FOLDER);
	return err;
}
