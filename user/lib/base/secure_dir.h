/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Folders in which no other user can exchange what is written. Root records where others have folders, too, and
 * the owner of one could put a link there, to a file that root then overwrites.
 */
#ifndef PROCLIFE_SECURE_DIR_H
#define PROCLIFE_SECURE_DIR_H

#define PROCLIFE_SECURE_DRAFT ".metadata" /* of a recording, that an interrupted recorder can leave */

/*
 * Opens this folder, or makes it. -EPERM: it was there, and belongs to another user, or others can write in it;
 * or it is a symbolic link where others can put one. Otherwise a descriptor, or another negative errno.
 */
int proclife_secure_folder(const char *path);

/* Creates a file, for writing, in place of one that has this name. A descriptor, or a negative errno. */
int proclife_secure_file(int dir, const char *name);

#endif
