/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays that grow. */
#ifndef PROCLIFE_ARRAY_H
#define PROCLIFE_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static inline int proclife_array_grow(void **array, size_t *room, size_t member)
{
	size_t more = *room ? 2 * *room : 16;
	void *grown = reallocarray(*array, more, member);

	if (!grown)
		return -ENOMEM;
	*array = grown;
	*room = more;
	return 0;
}

/*
 * Makes room behind the first @count members; @room, a size_t, is how many there can be. 0, or -ENOMEM, and all is
 * as before.
 */
#define PROCLIFE_ARRAY_RESERVE(array, count, room)					\
	({										\
		void *all_ = (array);							\
		int err_ = 0;								\
											\
		if ((count) == (room))							\
			err_ = proclife_array_grow(&all_, &(room), sizeof(*(array)));	\
		(array) = all_;								\
		err_;									\
	})

#endif
