# SPDX-License-Identifier: GPL-2.0-only
# proclife-read as one file that needs nothing of the machine that it runs on. Its objects have a folder for each kind of
# machine, so that `make static CC=aarch64-linux-gnu-gcc` can come after `make static`.

STATIC_MACHINE = $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
STATIC_FOLDER = $B/static/$(STATIC_MACHINE)
# Where pkg-config finds what is for another kind of machine.
STATIC_ASKS = $(if $(NATIVE),,env PKG_CONFIG_LIBDIR=/usr/lib/$(shell $(CC) -dumpmachine)/pkgconfig:/usr/share/pkgconfig )

static:
	@+$(MAKE) --no-print-directory B=$(STATIC_FOLDER)/build STATIC_PROGRAM=$(STATIC_FOLDER)/proclife-read \
		PKG_CONFIG='$(STATIC_ASKS)$(PKG_CONFIG)' $(STATIC_FOLDER)/proclife-read
	@echo "$(STATIC_FOLDER)/proclife-read: $$(($$(wc -c < $(STATIC_FOLDER)/proclife-read) / 1024)) KiB"

ifdef STATIC_PROGRAM

# What glibc, libkmod and ncurses would take from the machine, user/static has instead.
STATIC_SOURCES := $(wildcard user/static/*.c)
STATIC_OBJECTS := $(filter-out %/modules_kmod.o,$(READ_OBJECTS)) $(STATIC_SOURCES:%.c=$B/%.o)
STATIC_NEEDS := ncursesw libzstd $(if $(filter 1,$(BPF)),libbpf)
STATIC_LIBS = $(shell $(PKG_CONFIG) --static --libs $(STATIC_NEEDS) 2>/dev/null) -lm -pthread

override CFLAGS += -ffunction-sections -fdata-sections

$(STATIC_PROGRAM): $(STATIC_OBJECTS) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -static -s -Wl,--gc-sections -Wl,--fatal-warnings \
		-Wl,--wrap=setlocale -Wl,--wrap=setupterm -Wl,--wrap=newterm -o $@ $^ $(STATIC_LIBS)

$(STATIC_SOURCES:%.c=$B/%.o): override CPPFLAGS += -Iuser/read -I$B
$B/user/static/terminals.o: $B/terminals.h
$B/user/static/terminals.o: override CPPFLAGS += $(CURSES_CFLAGS)

# Debian's packages of these libraries, for the machine of CC.
STATIC_DEBIAN = $(if $(NATIVE),,:$(or $(STATIC_DEBIAN_$(STATIC_MACHINE)),$(STATIC_MACHINE)))
STATIC_DEBIAN_aarch64 := arm64

$B/static-libraries:
	@mkdir -p $(@D)
	@missing=; for library in c ncursesw tinfo zstd $(if $(filter 1,$(BPF)),bpf elf z) \
			$(patsubst -l%,%,$(filter -l%,$(STATIC_LIBS))); do \
		case $$($(CC) $(LDFLAGS) -print-file-name=lib$$library.a) in */*) continue ;; esac; \
		case $$library in \
		c | m) package=libc6-dev$(STATIC_DEBIAN) ;; \
		ncursesw | tinfo) package=libncurses-dev$(STATIC_DEBIAN) ;; \
		z) package=zlib1g-dev$(STATIC_DEBIAN) ;; \
		*) package=lib$$library-dev$(STATIC_DEBIAN) ;; \
		esac; \
		case "$$missing " in *" $$package "*) ;; *) missing="$$missing $$package" ;; esac; \
	done; \
	[ -n "$$missing" ] || $(PKG_CONFIG) --exists $(STATIC_NEEDS) 2>/dev/null || missing=" pkgconf"; \
	command -v infocmp >/dev/null || missing="$$missing ncurses-bin"; \
	[ -z "$$missing" ] || { echo "make static: $(CC) finds no static libraries of these: apt install$$missing" >&2; \
		exit 1; }
	@touch $@

# In one word each, as TERMINFO can have them.
STATIC_TERMINALS := linux vt100 vt220 ansi xterm xterm-256color screen screen-256color tmux tmux-256color \
	rxvt-unicode-256color

$B/terminals.h: | $B/static-libraries
	$(call say,GEN)
	$Qfor name in $(STATIC_TERMINALS); do \
		description=$$(infocmp -q -Q2 $$name | tr -d '\n') && [ -n "$$description" ] || { \
			echo "make static: no description of the terminal $$name: apt install ncurses-base ncurses-term" >&2; \
			exit 1; }; \
		printf '{ "%s", "%s" },\n' $$name "$$description"; \
	done > $@.new && mv $@.new $@

endif

.PHONY: static
