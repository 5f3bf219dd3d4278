/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow. */
#ifndef READ_ARRAY_H
#define READ_ARRAY_H

#include "output/message.h"
#include <stdlib.h>

/* Makes room behind the first @count members, of the @room that there is. Ends the program if it cannot. */
#define ARRAY_GROW(array, count, room)                                             \
	do {                                                                       \
		if ((count) == (room)) {                                           \
			(room) = (room) ? (room) / 2 * 3 : 64;                     \
			(array) = reallocarray((array), (room), sizeof(*(array))); \
			if (!(array))                                              \
				die_no_memory();                                   \
		}                                                                  \
	} while (0)

#endif
