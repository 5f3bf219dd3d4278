/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_USERS_H
#define PROCLIFE_USERS_H

#include "proclife.h"

/* The file in a recording: a line "UID NAME" for each. */
#define PROCLIFE_USERS_FILE ".users"

/* Its name will be looked up later. Returns 1 if it was not noted before, 0, or -ENOMEM. */
int proclife_users_note(struct proclife_users *users, uint32_t uid);
/* Like proclife_users_name(), but distinguishes no name from no memory. Returns 0 or -ENOMEM. */
int proclife_users_find(struct proclife_users *users, uint32_t uid, const char **name);

#endif
