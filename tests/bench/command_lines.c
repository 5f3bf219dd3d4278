// SPDX-License-Identifier: GPL-2.0-only
#include "command_lines.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define INCLUDES \
	"-I./arch/x86/include -I./arch/x86/include/generated -I./include -I./arch/x86/include/uapi " \
	"-I./arch/x86/include/generated/uapi -I./include/uapi -I./include/generated/uapi"

#define FLAGS \
	"-D__KERNEL__ -fmacro-prefix-map=./= -std=gnu11 -fshort-wchar -funsigned-char -fno-common " \
	"-fno-PIE -fno-strict-aliasing -mno-sse -mno-mmx -m64 -falign-jumps=1 -mno-red-zone " \
	"-mcmodel=kernel -fno-asynchronous-unwind-tables -fno-delete-null-pointer-checks -O2 -Wall"

#define COMPILER \
	"gcc -Wp,-MMD,%1$s/.%2$s.o.d -nostdinc " INCLUDES " " FLAGS \
	" -DKBUILD_MODFILE=\"%1$s/%2$s\" -DKBUILD_BASENAME=\"%2$s\" -c -o %1$s/%2$s.o %1$s/%2$s.c"

/* A space ends an argument, a tilde is a space in it. %1: the folder, %2: the name, %3: a number, %4: /tmp. */
static const char *const formats[TOOLS] = {
	[TOOL_MAKE] = "make -j8",
	[TOOL_FOLDER] = "make -f ./scripts/Makefile.build obj=%1$s need-builtin=1",
	[TOOL_SHELL] = "/bin/sh -c set~-e;~echo~'~~CC~~~~~~%1$s/%2$s.o';~gcc~-Wp,-MMD,%1$s/.%2$s.o.d~"
		       "-nostdinc~-I./arch/x86/include~-I./include~-D__KERNEL__~-O2~-Wall~-c~-o~"
		       "%1$s/%2$s.o~%1$s/%2$s.c;~./scripts/basic/fixdep~%1$s/.%2$s.o.d~%1$s/%2$s.o~>~"
		       "%1$s/.%2$s.o.cmd;~mv~-f~%1$s/.%2$s.o.tmp~%1$s/%2$s.o",
	[TOOL_COMPILER] = COMPILER,
	[TOOL_CC1] = "/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -nostdinc " INCLUDES
		     " -imultiarch x86_64-linux-gnu -MMD %1$s/.%2$s.o.d -D __KERNEL__ "
		     "-D KBUILD_MODFILE=\"%1$s/%2$s\" -D KBUILD_BASENAME=\"%2$s\" %1$s/%2$s.c -quiet "
		     "-dumpdir %1$s/ -dumpbase %2$s.c -dumpbase-ext .c -mno-sse -mno-mmx -m64 -O2 -Wall "
		     "-std=gnu11 -fno-common -fno-PIE -o %4$s/cc%3$06llx.s",
	[TOOL_AS] = "as " INCLUDES " --64 -o %1$s/%2$s.o %4$s/cc%3$06llx.s",
	[TOOL_MV] = "mv -f %1$s/.%2$s.o.tmp %1$s/%2$s.o",
	[TOOL_LINKER] = "gcc -nostdlib -shared -Wl,--build-id=sha1 -o %1$s/built-in.so "
			"-Wl,--whole-archive %1$s/built-in.a",
	[TOOL_COLLECT2] = "/usr/lib/gcc/x86_64-linux-gnu/12/collect2 -plugin "
			  "/usr/lib/gcc/x86_64-linux-gnu/12/liblto_plugin.so --build-id=sha1 --eh-frame-hdr "
			  "-m elf_x86_64 --hash-style=gnu -shared -o %1$s/built-in.so %1$s/built-in.a",
	[TOOL_LD] = "/usr/bin/ld -plugin /usr/lib/gcc/x86_64-linux-gnu/12/liblto_plugin.so "
		    "--build-id=sha1 --eh-frame-hdr -m elf_x86_64 --hash-style=gnu -shared -o "
		    "%1$s/built-in.so %1$s/built-in.a",
};

static void folder_name(char *name, size_t size, uint64_t folder)
{
	static const char *const tops[] = {
		"drivers", "fs", "net", "sound", "kernel", "arch/x86", "mm", "security", "lib", "block",
	};
	static const char *const middles[] = {
		"core", "usb", "gpu/drm", "ethernet", "ext4", "sched", "crypto", "ipv6", "hwmon", "pci",
		"acpi", "iio",
	};
	uint64_t rest = folder / COUNT(tops);

	if (!rest)
		snprintf(name, size, "%s", tops[folder % COUNT(tops)]);
	else if (rest <= COUNT(middles))
		snprintf(name, size, "%s/%s", tops[folder % COUNT(tops)], middles[rest - 1]);
	else
		snprintf(name, size, "%s/%s/unit%llu", tops[folder % COUNT(tops)],
			 middles[rest % COUNT(middles)],
			 (unsigned long long)(rest / COUNT(middles)));
}

static void file_name(char *name, size_t size, uint64_t file)
{
	static const char *const stems[] = {
		"main", "core", "inode", "super", "ring", "debugfs", "table", "queue", "irq", "trace",
		"policy", "cache", "buffer", "sysfs", "hash", "xattr", "netlink", "timer", "dma", "probe",
	};
	uint64_t rest = file / COUNT(stems);

	if (rest)
		snprintf(name, size, "%s_%llu", stems[file % COUNT(stems)], (unsigned long long)rest);
	else
		snprintf(name, size, "%s", stems[file % COUNT(stems)]);
}

size_t command_line(enum tool tool, uint64_t file, uint64_t in_folder, char args[MOST_ARGS])
{
	char folder[64], name[32];
	int length;

	folder_name(folder, sizeof(folder), file / in_folder);
	file_name(name, sizeof(name), file % in_folder);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	/* All formats are above, and take these four. */
	length = snprintf(args, MOST_ARGS, formats[tool], folder, name,
			  (unsigned long long)(file * 0x9e3779 & 0xffffff), "/tmp");
#pragma GCC diagnostic pop
	for (int i = 0; i <= length; i++)
		args[i] = args[i] == ' ' ? '\0' : args[i] == '~' ? ' ' : args[i];
	return (size_t)length + 1;
}
