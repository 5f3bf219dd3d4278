/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings of made-up machines, the same each time. Every number in them differs from its
 * neighbours, so that a mix-up shows.
 */
#ifndef TESTS_UNIT_STORIES_H
#define TESTS_UNIT_STORIES_H

/*
 * Makes in the test's folder "build", "lossy", "before", "after", "old", "marks"; and a device, whose
 * path is in the environment as DEVICE until the stories are forgotten.
 */
void stories_tell(void);
void stories_forget(void);

#endif
