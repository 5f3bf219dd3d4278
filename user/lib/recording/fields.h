/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_FIELDS_H
#define PROCLIFE_FIELDS_H

#include "proclife.h"

/* The records of one type, as a recording describes them. */
struct proclife_layout {
	uint16_t type;
	const char *event;   /* its name in a recording: LTTng's if that has the same event */
	const char *head[3]; /* its names of tid, pid and comm; NULL: these names */
	const struct proclife_field *fields; /* after the head, in order */
	unsigned int count;
};

/* The types that this library knows, by index; NULL at the end. */
const struct proclife_layout *proclife_layout(unsigned int index);
/* The layout of this type; NULL if it is not known. */
const struct proclife_layout *proclife_layout_of(uint16_t type);

#endif
