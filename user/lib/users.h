/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_USERS_H
#define PROCLIFE_USERS_H

#include "proclife.h"

/* Of a recording: "UID NAME", a line each. */
#define PROCLIFE_USERS_FILE ".users"

/* Its name will be asked for. 1 if this is the first time that it is noted; 0, or -ENOMEM. */
int proclife_users_note(struct proclife_users *users, uint32_t uid);
/* As proclife_users_name(), for whom it matters why there is none. 0 or -ENOMEM. */
int proclife_users_find(struct proclife_users *users, uint32_t uid, const char **name);

#endif
