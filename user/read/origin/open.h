/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the records come from: the module's device where it is, else BPF programs, which are loaded for this run unless
 * they are pinned.
 */
#ifndef READ_OPEN_H
#define READ_OPEN_H

#include "options.h"
#include <proclife.h>

/* Loads what --load asks for, unless it is there. Returns 0, or a negative errno and has printed why. */
int source_load(const struct options *options);
/* Removes what is loaded, module or pins. Returns 0, or a negative errno and has printed why. */
int source_unload(const struct options *options);

/*
 * Opens what --source, --device and the machine have. It can be called again for another source of the same. Returns 0,
 * or a negative errno and has printed why.
 */
int source_open(struct proclife_source **source, const struct options *options);
/* Ends what was loaded for this run, after its sources. */
void source_close(void);

/* Do BPF programs record? */
bool source_is_bpf(void);
/* And were they there before? */
bool source_is_pinned(void);

/* What messages call it: the device's path, or "BPF". */
const char *source_name(const struct options *options);

#endif
