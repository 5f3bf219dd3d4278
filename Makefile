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
DKMSDIR ?= /usr/src/proclife-$(VERSION)

KDIR ?= /lib/modules/$(shell uname -r)/build

# B is where everything is built; the sanitizer builds of the tests use one each.
B ?= build
CFLAGS ?= -O2 -g
override CPPFLAGS += -D_GNU_SOURCE -DPROCLIFE_VERSION='"$(VERSION)"' -Iinclude -Iuser/lib
override CFLAGS += -std=gnu11 -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -MMD -MP
KMOD_LIBS = $(shell pkg-config --libs libkmod)
CMOCKA_LIBS = $(shell pkg-config --libs cmocka)

LIB_SOURCES := $(wildcard user/lib/*.c)
READ_SOURCES := $(wildcard user/read/*.c)
LIB_OBJECTS := $(LIB_SOURCES:%.c=$B/%.o)
READ_OBJECTS := $(READ_SOURCES:%.c=$B/%.o)
LIB_STATIC := $B/libproclife.a
LIB_SHARED := $B/libproclife.so.$(SOVERSION)

all: $(LIB_STATIC) $(LIB_SHARED) $B/proclife-read $B/completions/bash $B/completions/zsh

$B/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$B/user/lib/%.o: override CFLAGS += -fPIC

$(LIB_STATIC): $(LIB_OBJECTS)
	$(AR) rcs $@ $^

$(LIB_SHARED): $(LIB_OBJECTS) user/lib/libproclife.sym
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) \
		-Wl,--version-script=user/lib/libproclife.sym -Wl,--no-undefined -o $@ $(LIB_OBJECTS)
	ln -sf $(@F) $B/libproclife.so

$B/proclife-read: $(READ_OBJECTS) $(LIB_SHARED)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(READ_OBJECTS) -L$B -lproclife $(KMOD_LIBS) -lm

$B/completions/%: $B/proclife-read
	@mkdir -p $(@D)
	LD_LIBRARY_PATH=$B $B/proclife-read --completion $* > $@

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

install: all
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/proclife \
		$(DESTDIR)$(MANDIR)/man3 $(DESTDIR)$(MANDIR)/man4 $(DESTDIR)$(MANDIR)/man8 \
		$(DESTDIR)$(SCHEMADIR) \
		$(DESTDIR)$(BASHCOMPDIR) $(DESTDIR)$(ZSHCOMPDIR) $(DESTDIR)$(UDEVDIR) \
		$(DESTDIR)$(MODULESLOADDIR)
	install -m 755 $B/proclife-read $(DESTDIR)$(BINDIR)
	install -m 644 $(LIB_SHARED) $(LIB_STATIC) $(DESTDIR)$(LIBDIR)
	ln -sf $(notdir $(LIB_SHARED)) $(DESTDIR)$(LIBDIR)/libproclife.so
	sed 's|@prefix@|$(PREFIX)|; s|@libdir@|$(LIBDIR)|; s|@includedir@|$(INCLUDEDIR)|; s|@version@|$(VERSION)|' \
		user/lib/libproclife.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/libproclife.pc
	install -m 644 user/lib/proclife.h $(DESTDIR)$(INCLUDEDIR)
	install -m 644 include/proclife/abi.h include/proclife/ring.h include/proclife/barrier.h \
		$(DESTDIR)$(INCLUDEDIR)/proclife
	install -m 644 user/man/libproclife.3 $(DESTDIR)$(MANDIR)/man3
	install -m 644 user/man/proclife.4 $(DESTDIR)$(MANDIR)/man4
	install -m 644 user/man/proclife-read.8 $(DESTDIR)$(MANDIR)/man8
	install -m 644 user/schema/proclife-read-1.json $(DESTDIR)$(SCHEMADIR)
	install -m 644 $B/completions/bash $(DESTDIR)$(BASHCOMPDIR)/proclife-read
	install -m 644 $B/completions/zsh $(DESTDIR)$(ZSHCOMPDIR)/_proclife-read
	install -m 644 user/udev/60-proclife.rules $(DESTDIR)$(UDEVDIR)
	install -m 644 user/modules-load/proclife.conf $(DESTDIR)$(MODULESLOADDIR)
	$(if $(DESTDIR),,ldconfig)

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/proclife-read
	rm -f $(DESTDIR)$(LIBDIR)/libproclife.so $(DESTDIR)$(LIBDIR)/$(notdir $(LIB_SHARED)) \
		$(DESTDIR)$(LIBDIR)/libproclife.a $(DESTDIR)$(LIBDIR)/pkgconfig/libproclife.pc
	rm -f $(DESTDIR)$(INCLUDEDIR)/proclife.h
	rm -rf $(DESTDIR)$(INCLUDEDIR)/proclife
	rm -f $(DESTDIR)$(MANDIR)/man3/libproclife.3 $(DESTDIR)$(MANDIR)/man4/proclife.4 \
		$(DESTDIR)$(MANDIR)/man8/proclife-read.8
	rm -rf $(DESTDIR)$(SCHEMADIR)
	rm -f $(DESTDIR)$(BASHCOMPDIR)/proclife-read $(DESTDIR)$(ZSHCOMPDIR)/_proclife-read
	rm -f $(DESTDIR)$(UDEVDIR)/60-proclife.rules $(DESTDIR)$(MODULESLOADDIR)/proclife.conf
	$(if $(DESTDIR),,ldconfig)

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

demo:
	tests/setup build vm
	$(MAKE) all
	tests/demo

check:
	tests/setup build check vm suites guest
	tests/check

# SUITES="bullseye trixie-rt" are the kernels of these Debian suites only.
check-matrix:
	tests/setup build check vm suites guest
	tests/matrix $(SUITES)

# The guest tests where the kernel watches itself: built once, and run in an hour.
check-debug:
	tests/setup build check vm debug guest
	tests/debug

clean:
	rm -rf build build-*

-include tests/tests.mk tests/bench.mk
-include $(shell find $B -name '*.d' 2>/dev/null)

.PHONY: all module install uninstall dkms-source dkms-install dkms-uninstall demo check check-matrix check-debug clean
