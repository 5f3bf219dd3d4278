# SPDX-License-Identifier: GPL-2.0-only
# The programs, the library and the tests. The module is built by Kbuild, through dkms or `make module`.

VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"$$/\1/p' dkms.conf)
SOVERSION := 0

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
INCLUDEDIR ?= $(PREFIX)/include
LIBDIR ?= $(PREFIX)/lib/$(shell $(CC) -print-multiarch)
MANDIR ?= $(PREFIX)/share/man
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
SCHEMADIR ?= $(PREFIX)/share/proclife
# The system reads these from fixed places, whatever the prefix is.
SYSLIBDIR ?= $(if $(filter /usr,$(PREFIX)),/usr/lib,/etc)
UDEVDIR ?= $(SYSLIBDIR)/udev/rules.d
MODULESLOADDIR ?= $(SYSLIBDIR)/modules-load.d
UNITDIR ?= $(SYSLIBDIR)/systemd/system
SYSUSERSDIR ?= $(SYSLIBDIR)/sysusers.d
DEFAULTDIR ?= /etc/default
DKMSDIR ?= /usr/src/proclife-$(VERSION)

KDIR ?= /lib/modules/$(shell uname -r)/build

# HOSTCC is for what runs while this is built, CC for what is installed: `make CC=aarch64-linux-gnu-gcc`.
HOSTCC ?= cc
PKG_CONFIG ?= pkg-config

# B is where everything is built; the sanitizer builds of the tests use one each.
B ?= build
CFLAGS ?= -O2 -g
override CPPFLAGS += -D_GNU_SOURCE -DPROCLIFE_VERSION='"$(VERSION)"' -Iinclude -Iuser/lib
override CFLAGS += -std=gnu11 -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -MMD -MP

# What a recipe does, in a word and a file; V=1 shows its command instead, and -s nothing.
V ?= 0
say = $(if $(filter 1,$V)$(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-7s %s\n' $1 $(@:$B/%=%))
Q := $(if $(filter 1,$V),,@)

# What the library needs, also where there is no pkg-config.
LIB_NEEDS = $(or $(shell $(PKG_CONFIG) --libs libzstd 2>/dev/null),-lzstd) -pthread

# Asked for when they are needed, by proclife-read and by the tests: the library needs none of them.
KMOD_CFLAGS = $(shell $(PKG_CONFIG) --cflags libkmod)
KMOD_LIBS = $(shell $(PKG_CONFIG) --libs libkmod)
CURSES_CFLAGS = $(shell $(PKG_CONFIG) --cflags ncursesw)
CURSES_LIBS = $(shell $(PKG_CONFIG) --libs ncursesw)
CMOCKA_LIBS = $(shell $(PKG_CONFIG) --libs cmocka)
LIBBPF_CFLAGS = $(shell $(PKG_CONFIG) --cflags libbpf)
LIBBPF_LIBS = $(shell $(PKG_CONFIG) --libs libbpf)

# BPF=0 builds a proclife-read that records with the module only, and needs none of this. The programs know the registers
# of two kinds of machines.
ifeq ($(origin BPF),undefined)
BPF := $(if $(filter x86_64% aarch64%,$(shell $(CC) -dumpmachine)),1,0)
endif
CLANG ?= clang
BPFTOOL ?= $(or $(wildcard /usr/sbin/bpftool),bpftool)

LIB_SOURCES := $(wildcard user/lib/*/*.c)
READ_SOURCES := $(wildcard user/read/*.c user/read/*/*.c user/read/*/*/*.c)
READ_SOURCES := $(filter-out $(if $(filter 1,$(BPF)),%/bpf_absent.c,%/bpf_check.c %/bpf_load.c %/bpf_pin.c %/bpf_programs.c %/bpf_symbols.c),\
	$(READ_SOURCES))
LIB_OBJECTS := $(LIB_SOURCES:%.c=$B/%.o)
READ_OBJECTS := $(READ_SOURCES:%.c=$B/%.o)
LIB_STATIC := $B/libproclife.a
LIB_SHARED := $B/libproclife.so.$(SOVERSION)

# The first target, and so what `make` alone does.
all: lib $B/proclife-read $B/completions/bash $B/completions/zsh

lib: $(LIB_STATIC) $(LIB_SHARED)

$B/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$Q$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# A program that is linked with what it needs, as a stamp; make static has a test of its own.
$B/libzstd:
	@mkdir -p $(@D)
	@printf '#include <zstd.h>\nint main(void) { return !ZSTD_versionNumber(); }\n' | \
		$(CC) $(CPPFLAGS) $(CFLAGS) -MF /dev/null $(LDFLAGS) -o $@ -x c - $(LIB_NEEDS) || { \
		echo 'the library needs libzstd, which $(CC) does not find: install libzstd-dev for its machine' \
			>&2; exit 1; }
$(LIB_OBJECTS): | $B/$(if $(STATIC_PROGRAM),static-libraries,libzstd)

# Nobody replaces a function of the library within it, so it may be inlined there.
$B/user/lib/%.o: override CFLAGS += -fPIC -fno-semantic-interposition
$B/user/read/%.o $B/user/completions/%.o: override CPPFLAGS += -Iuser/read

$(LIB_STATIC): $(LIB_OBJECTS)
	$(call say,AR)
	$Qrm -f $@ && $(AR) rcs $@ $^

$(LIB_SHARED): $(LIB_OBJECTS) user/lib/libproclife.sym
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) \
		-Wl,--version-script=user/lib/libproclife.sym -Wl,--no-undefined -o $@ $(LIB_OBJECTS) $(LIB_NEEDS)
	$Qln -sf $(@F) $B/libproclife.so

# The one in the build folder runs as it is; the one that is installed has no rpath.
$B/proclife-read: private override LDFLAGS += -Wl,-rpath,'$$ORIGIN'

$B/proclife-read $B/installed/proclife-read: $(READ_OBJECTS) $(LIB_SHARED)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(READ_OBJECTS) -L$B -lproclife $(LIB_NEEDS) $(KMOD_LIBS) \
		$(CURSES_LIBS) $(if $(filter 1,$(BPF)),$(LIBBPF_LIBS)) -lm

# A program that is linked with it, as a stamp: pkg-config may know it for another machine only.
$B/libkmod:
	@mkdir -p $(@D)
	@printf '#include <libkmod.h>\nint main(void) { return !kmod_new(0, 0); }\n' | \
		$(CC) $(CPPFLAGS) $(KMOD_CFLAGS) $(CFLAGS) -MF /dev/null $(LDFLAGS) -o $@ -x c - $(KMOD_LIBS) || { \
		echo 'proclife-read needs libkmod, which $(CC) does not find: install libkmod-dev for its' \
			'machine and pkgconf, or build the library alone: make lib' >&2; exit 1; }

# One after the other, so that one message stands at the end.
$B/libncursesw: | $B/$(if $(STATIC_PROGRAM),static-libraries,libkmod)
	@mkdir -p $(@D)
	@printf '#include <ncurses.h>\nint main(void) { wint_t key; return get_wch(&key); }\n' | \
		$(CC) $(CPPFLAGS) $(CURSES_CFLAGS) $(CFLAGS) -MF /dev/null $(LDFLAGS) -o $@ -x c - $(CURSES_LIBS) || { \
		echo 'proclife-read needs libncursesw, which $(CC) does not find: install libncurses-dev for' \
			'its machine and pkgconf, or build the library alone: make lib' >&2; exit 1; }

# The page of --html is made of these, which are in the program.
$B/user/read/views/html/page_parts.o: $(wildcard user/read/views/html/page/*)

# What knows of the terminal.
CURSES_OBJECTS := $B/user/read/live/terminal.o $B/user/read/live/terminal_crash.o

$B/proclife-read $(CURSES_OBJECTS): | $B/libncursesw
$(CURSES_OBJECTS): override CPPFLAGS += $(CURSES_CFLAGS)

$B/proclife-read $B/user/read/origin/modules_kmod.o: | $B/libkmod
$B/user/read/origin/modules_kmod.o: override CPPFLAGS += $(KMOD_CFLAGS)

# The BPF programs, in a header. They are the same for all roots of a kind of machine: another build's will do.
BPF_SKELETON ?= $B/bpf/proclife.skel.h
# Which registers a system call has is all that differs between machines.
BPF_ARCH ?= $(if $(filter aarch64%,$(shell $(CC) -dumpmachine)),arm64,x86)

define NO_BPF
echo 'recording without the module needs clang, bpftool and libbpf-dev: install them, or leave it out:' \
	'make BPF=0' >&2; exit 1
endef

$B/bpf/libbpf: | $B/libncursesw
	@mkdir -p $(@D)
	@printf '#include <bpf/libbpf.h>\nint main(void) { return !bpf_object__open(0); }\n' | \
		$(CC) $(CPPFLAGS) $(LIBBPF_CFLAGS) $(CFLAGS) -MF /dev/null $(LDFLAGS) -o $@ -x c - $(LIBBPF_LIBS) \
		2>/dev/null || { $(NO_BPF); }

$B/bpf/proclife.bpf.o: bpf/proclife.bpf.c $(wildcard bpf/*.h include/proclife/*.h)
	@mkdir -p $(@D)
	@command -v $(CLANG) >/dev/null && command -v $(BPFTOOL) >/dev/null || { $(NO_BPF); }
	$(call say,CLANG)
	$Q$(CLANG) -O2 -g -ffile-compilation-dir=. -Wall -Werror -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Iinclude \
		-idirafter /usr/include/$(shell $(HOSTCC) -print-multiarch) -c -o $@.whole $<
	$Q$(BPFTOOL) gen object $@ $@.whole

$B/bpf/proclife.skel.h: $B/bpf/proclife.bpf.o
	$(call say,GEN)
	$Q$(BPFTOOL) gen skeleton $< name proclife_bpf_programs > $@.new && mv $@.new $@

BPF_OBJECTS := $(patsubst %,$B/user/read/origin/bpf_%.o,check load pin programs symbols)
$(BPF_OBJECTS): override CPPFLAGS += -I$(dir $(BPF_SKELETON)) $(LIBBPF_CFLAGS)
$(BPF_OBJECTS): $(BPF_SKELETON) | $B/bpf/libbpf

# The objects of proclife-read, but for its screen and what needs libkmod or libbpf.
READ_ARCHIVE := $B/proclife-read.a

$(READ_ARCHIVE): $(filter-out %/main.o %/module.o %/modules_kmod.o %/diagnose.o $B/user/read/live/% $(BPF_OBJECTS),$(READ_OBJECTS)) \
		$B/user/read/live/view.o $B/user/read/origin/bpf_absent.o
	$(call say,AR)
	$Qrm -f $@ && $(AR) rcs $@ $^

# What prints the completions runs here, wherever proclife-read is to run.
COMPLETIONS := $B/print-completions

# Asked of the compilers only if they are not the same one.
NATIVE = $(or $(filter $(HOSTCC),$(CC)),$(filter $(shell $(CC) -dumpmachine),$(shell $(HOSTCC) -dumpmachine)))

ifneq ($(NATIVE),)
$(COMPLETIONS): $B/user/completions/print.o $(READ_ARCHIVE) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_NEEDS) -lm
else
$(COMPLETIONS): $(READ_SOURCES) $(LIB_SOURCES) user/completions/print.c
	$(call say,HOST)
	$Q$(MAKE) -s B=$B/host CC=$(HOSTCC) PKG_CONFIG=false CFLAGS=-O1 LDFLAGS= $B/host/print-completions
	$Qcp $B/host/print-completions $@
endif

$B/completions/%: $(COMPLETIONS)
	@mkdir -p $(@D)
	$(call say,GEN)
	$Q$< $* > $@

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# What root edits is not overwritten, and removed only as it was installed.
settings_in = [ -e $(DESTDIR)$2 ] || install -m 644 $1 $(DESTDIR)$2
settings_out = @if cmp -s $1 $(DESTDIR)$2; then rm -f $(DESTDIR)$2; elif [ -e $(DESTDIR)$2 ]; then \
	echo '$2 was edited and stays'; fi

# For pkg-config, which can be told of another prefix.
below = $(patsubst $(PREFIX)/%,$${prefix}/%,$1)
# The linker's cache is the system's: a package has its own trigger for it, and only root may write it.
refresh = $(if $(DESTDIR),,@if [ "$$(id -u)" != 0 ]; then \
	echo 'ldconfig is for root: where $(LIBDIR) is not searched, programs need LD_LIBRARY_PATH'; \
	else PATH=$$PATH:/usr/sbin:/sbin ldconfig; fi)

install-lib: lib
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/proclife $(DESTDIR)$(MANDIR)/man3 \
		$(DESTDIR)$(MANDIR)/man4
	install -m 644 $(LIB_SHARED) $(LIB_STATIC) $(DESTDIR)$(LIBDIR)
	ln -sf $(notdir $(LIB_SHARED)) $(DESTDIR)$(LIBDIR)/libproclife.so
	sed 's|@prefix@|$(PREFIX)|; s|@libdir@|$(call below,$(LIBDIR))|; s|@includedir@|$(call below,$(INCLUDEDIR))|; s|@version@|$(VERSION)|' \
		user/lib/libproclife.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/libproclife.pc
	install -m 644 user/lib/proclife.h $(DESTDIR)$(INCLUDEDIR)
	install -m 644 include/proclife/abi.h include/proclife/ring.h include/proclife/barrier.h \
		$(DESTDIR)$(INCLUDEDIR)/proclife
	install -m 644 user/man/libproclife.3 $(DESTDIR)$(MANDIR)/man3
	install -m 644 user/man/proclife.4 $(DESTDIR)$(MANDIR)/man4
	$(refresh)

install: all $B/installed/proclife-read install-lib
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(MANDIR)/man7 \
		$(DESTDIR)$(MANDIR)/man8 $(DESTDIR)$(SCHEMADIR) \
		$(DESTDIR)$(BASHCOMPDIR) $(DESTDIR)$(ZSHCOMPDIR) $(DESTDIR)$(UDEVDIR) \
		$(DESTDIR)$(MODULESLOADDIR) $(DESTDIR)$(UNITDIR) $(DESTDIR)$(SYSUSERSDIR) $(DESTDIR)$(DEFAULTDIR)
	install -m 755 $B/installed/proclife-read $(DESTDIR)$(BINDIR)
	install -m 644 user/man/proclife-read-json.5 user/man/proclife-read-export.5 \
		user/man/proclife-recording.5 $(DESTDIR)$(MANDIR)/man5
	install -m 644 user/man/proclife-views.7 $(DESTDIR)$(MANDIR)/man7
	install -m 644 user/man/proclife-read.8 $(DESTDIR)$(MANDIR)/man8
	install -m 644 user/schema/proclife-read-1.json $(DESTDIR)$(SCHEMADIR)
	install -m 644 $B/completions/bash $(DESTDIR)$(BASHCOMPDIR)/proclife-read
	install -m 644 $B/completions/zsh $(DESTDIR)$(ZSHCOMPDIR)/_proclife-read
	$(call settings_in,user/udev/60-proclife.rules,$(UDEVDIR)/60-proclife.rules)
	$(call settings_in,user/modules-load/proclife.conf,$(MODULESLOADDIR)/proclife.conf)
	$(call settings_in,user/systemd/proclife-recorder.default,$(DEFAULTDIR)/proclife-recorder)
	install -m 644 user/sysusers/proclife.conf $(DESTDIR)$(SYSUSERSDIR)
	sed 's|@bindir@|$(BINDIR)|' user/systemd/proclife-recorder.service.in > \
		$(DESTDIR)$(UNITDIR)/proclife-recorder.service

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/proclife-read
	rm -f $(DESTDIR)$(LIBDIR)/libproclife.so $(DESTDIR)$(LIBDIR)/$(notdir $(LIB_SHARED)) \
		$(DESTDIR)$(LIBDIR)/libproclife.a $(DESTDIR)$(LIBDIR)/pkgconfig/libproclife.pc
	rm -f $(DESTDIR)$(INCLUDEDIR)/proclife.h
	rm -rf $(DESTDIR)$(INCLUDEDIR)/proclife
	rm -f $(DESTDIR)$(MANDIR)/man3/libproclife.3 $(DESTDIR)$(MANDIR)/man4/proclife.4 \
		$(DESTDIR)$(MANDIR)/man5/proclife-read-json.5 $(DESTDIR)$(MANDIR)/man5/proclife-read-export.5 \
		$(DESTDIR)$(MANDIR)/man5/proclife-recording.5 \
		$(DESTDIR)$(MANDIR)/man7/proclife-views.7 $(DESTDIR)$(MANDIR)/man8/proclife-read.8
	rm -rf $(DESTDIR)$(SCHEMADIR)
	rm -f $(DESTDIR)$(BASHCOMPDIR)/proclife-read $(DESTDIR)$(ZSHCOMPDIR)/_proclife-read
	rm -f $(DESTDIR)$(UNITDIR)/proclife-recorder.service $(DESTDIR)$(SYSUSERSDIR)/proclife.conf
	$(call settings_out,user/udev/60-proclife.rules,$(UDEVDIR)/60-proclife.rules)
	$(call settings_out,user/modules-load/proclife.conf,$(MODULESLOADDIR)/proclife.conf)
	$(call settings_out,user/systemd/proclife-recorder.default,$(DEFAULTDIR)/proclife-recorder)
	$(if $(filter 0,$(shell id -u)),$(refresh))

dkms-source:
	install -d $(DESTDIR)$(DKMSDIR)/module $(DESTDIR)$(DKMSDIR)/include/proclife
	install -m 644 Kbuild dkms.conf COPYING $(DESTDIR)$(DKMSDIR)
	install -m 644 module/*.c module/*.h $(DESTDIR)$(DKMSDIR)/module
	install -m 644 include/proclife/*.h $(DESTDIR)$(DKMSDIR)/include/proclife

dkms-install: dkms-source
	dkms install --force proclife/$(VERSION)

dkms-uninstall:
	dkms remove proclife/$(VERSION) --all
	rm -rf $(DKMSDIR)
	@for other in /var/lib/dkms/proclife/[0-9]*; do [ ! -d "$$other" ] || \
		echo "version $${other##*/} stays: dkms remove proclife/$${other##*/} --all"; done

demo:
	@tests/scripts/demo

# The unit tests alone: under a minute, and one line if all is well.
check-unit:
	tests/scripts/setup build check
	@+$(MAKE) -s all unit-tests
	@B=$B tests/unit/run

check:
	@echo 'make check: some 45 minutes on two cores without KVM; each step says when it begins, and what it took'
	tests/scripts/setup build check vm suites guest
	tests/scripts/check

# SUITES="bullseye trixie-rt" are the kernels of these Debian suites only.
check-matrix:
	tests/scripts/setup build check vm suites guest
	tests/scripts/matrix $(SUITES)

# The guest tests where the kernel watches itself, and where it lacks what the module can do without:
# built once, and run in an hour.
check-debug:
	tests/scripts/setup build check vm debug guest
	tests/scripts/debug

define HELP
Targets (V=1 shows the commands, B=DIR builds elsewhere than in build):

  all               the library, proclife-read and its completions, in build/
  static            proclife-read as one file, with all that it needs, in build/static/MACHINE/
  lib               the library alone, which needs a C compiler and nothing else
  module            the module for KDIR, the running kernel unless given
  install           programs, library, manuals, snippets to PREFIX (/usr/local), below DESTDIR
  install-lib       the library alone, with its headers and manuals
  dkms-install      the module, now and for each kernel to come; dkms-source: its sources alone
  uninstall, dkms-uninstall, clean
  dist, deb, rpm    a tar file of the sources; the packages of Debian and RPM, in build/

  demo              boots a guest, traces a real build in it, shows its tree and its latencies
  check             all that a change has to pass
  check-unit        the unit tests alone, under a minute
  check-matrix      the guest tests on 14 kernels, or SUITES="bullseye arm64-sid"
  check-debug       the guest tests on kernels that watch themselves, and on one without kprobes
  check-packages    the packages are built, installed, upgraded and removed on three suites of Debian
  check-model       the program against a model of it, on new seeds for five minutes
  check-mutants     which of MUTANTS="--seed 1 --count 300 lib read" changes no test notices
  check-litmus      the ring under the memory models of the kernel, arm64 and riscv64
  check-exports     what --export otlp and folded write, read by OpenTelemetry's definitions and speedscope
  check-metrics     what --metrics writes, read by node_exporter and Prometheus
  check-html        the page of --html, in a browser that clicks
  check-static      the file of static, in guests of three suites of Debian, and in roots with nothing else
  check-valgrind    the unit tests under valgrind
  coverage          which lines of the library the unit tests execute
  stress-billion    a billion records through the ring, in some minutes
  unit-tests, stress-tests, guest-tests, workloads
                    builds them; fuzz-tests also runs the fuzzers, for FUZZ_SECONDS (20) each

  bench-reader bench-peers bench-exact bench-probe bench-probe-wall
  bench-probe-scale bench-probe-size bench-recorder bench-snapshot bench-views bench-html
  bench-keep bench-flood bench-ring soak
                    tables of figures, which judge nothing: see tests/README.md
endef

help:
	@: $(info $(HELP))

clean:
	rm -rf build build-*

include user/static/static.mk
-include tests/tests.mk tests/bench.mk packaging/packages.mk
-include $(shell find $B -path $B/deb -prune -o -name '*.d' -print 2>/dev/null)

.PHONY: all lib help module install install-lib uninstall dkms-source dkms-install dkms-uninstall demo check check-unit check-matrix check-debug clean
