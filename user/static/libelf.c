// SPDX-License-Identifier: GPL-2.0-only
/*
 * elfutils 0.192, of Debian 13, forgot these in libelf.a, whose elf_begin() and elf_end() call them. They serve
 * elf_getdata_rawchunk() alone, which libbpf does not call. A libelf.a that needs more does not link.
 */

void eu_search_tree_init(void *tree, int (*compare)(const void *one, const void *other));
void eu_search_tree_fini(void *tree, void (*release)(void *node));

__attribute__((weak)) void eu_search_tree_init(void *tree, int (*compare)(const void *one, const void *other))
{
	(void)tree;
	(void)compare;
}

__attribute__((weak)) void eu_search_tree_fini(void *tree, void (*release)(void *node))
{
	(void)tree;
	(void)release;
}
