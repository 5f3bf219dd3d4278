// SPDX-License-Identifier: GPL-2.0-only
/*
 * In place of setlocale(3). The C library has the characters of C and of UTF-8 in it; for those of other locales it loads
 * a library, which has to be of the very version that a static program was linked with. These count as C.
 */
#include <langinfo.h>
#include <locale.h>
#include <string.h>

char *__real_setlocale(int category, const char *name);
char *__wrap_setlocale(int category, const char *name);

char *__wrap_setlocale(int category, const char *name)
{
	char *set = __real_setlocale(category, name);

	return set && strcmp(nl_langinfo(CODESET), "UTF-8") ? __real_setlocale(category, "C") : set;
}
