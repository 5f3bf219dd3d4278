# SPDX-License-Identifier: GPL-2.0-only
# The test programs. B and CFLAGS select the build: tests/scripts/check makes several.

UNIT_SOURCES := $(wildcard tests/unit/*/test_*.c)
UNIT_TESTS := $(addprefix $B/tests/unit/,$(basename $(notdir $(UNIT_SOURCES))))
STRESS_TESTS := $(patsubst tests/stress/%.c,$B/tests/stress/%,$(wildcard tests/stress/*.c))
GUEST_TESTS := $(patsubst tests/guest/%.c,$B/tests/guest/%,$(wildcard tests/guest/test_*.c))
WORKLOADS := $(patsubst tests/guest/workloads/%.c,$B/tests/guest/workloads/%,\
	$(wildcard tests/guest/workloads/*.c))
GUEST_COMMON := $(patsubst %.c,$B/%.o,$(filter-out $(wildcard tests/guest/test_*.c),$(wildcard tests/guest/*.c)))

# Shared by the unit tests, with the generator of traces: each takes from the archive what it calls.
UNIT_SUPPORT := $B/tests/unit/support.a
GENERATOR := $(patsubst %,$B/tests/bench/%.o,generate simulate objects streams truth)
UNIT_OBJECTS := $(patsubst %.c,$B/%.o,$(wildcard tests/unit/support/*.c)) $(GENERATOR) \
	$B/tests/bench/build.o $B/tests/bench/command_lines.o

$(UNIT_SUPPORT): $(UNIT_OBJECTS)
	$Qrm -f $@
	$Q$(AR) rcs $@ $^

$B/tests/%: override CPPFLAGS += -Itests
$B/tests/unit/%: override CPPFLAGS += -Itests/unit/support -Iuser/read -I. -DSOURCE='"$(CURDIR)"'

# A line "// WRAP: NAME..." in a test names the functions of other libraries that go through it, or through
# what it shares. These names stand for several each:
WRAP_failing := malloc calloc realloc aligned_alloc strdup asprintf open_memstream fdopendir free open openat fstat \
	mkdirat renameat ftruncate mmap readdir getrandom ioctl read pread pwrite close
WRAP_machine := opendir access uname modules_have
wraps = $(foreach name,$(shell sed -n 's|^// WRAP: ||p' $1),$(patsubst %,-Wl$(comma)--wrap=%,$(or $(WRAP_$(name)),$(name))))
comma := ,

UNIT_LIBRARIES := $(UNIT_SUPPORT) $(READ_ARCHIVE) $(LIB_STATIC)
# The source and the object of a test, by its name.
unit_source = $(filter %/$1.c,$(UNIT_SOURCES))
unit_object = $(patsubst %.c,$B/%.o,$(call unit_source,$1))
.SECONDEXPANSION:
$(UNIT_TESTS): $B/tests/unit/%: $$(call unit_object,$$*) $(UNIT_LIBRARIES)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) $(call wraps,$(call unit_source,$*)) -o $@ $(filter %.o,$^) $(UNIT_LIBRARIES) \
		-lm $(LIB_NEEDS) $(CMOCKA_LIBS)

# What makes recordings of the stories in the transcripts.
$B/tests/unit/story/story: $B/tests/unit/story/story.o $(UNIT_LIBRARIES)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(UNIT_LIBRARIES) $(LIB_NEEDS) -lm $(CMOCKA_LIBS)
$B/tests/unit/test_transcripts: | $B/tests/unit/story/story

# It asks libkmod, which the archive does without.
$B/tests/unit/test_diagnose: $B/user/read/origin/diagnose.o

# The programs in the manual pages compile unchanged, with what any program has, and
# in C++, too. NAME-2 is the second one of its page.
EXAMPLES := $(addprefix $B/tests/examples/,libproclife.3-1 libproclife.3-2 libproclife.3-3 libproclife.3-4 libproclife.3-5 \
	proclife.4-1)

$(EXAMPLES:%=%.c): $B/tests/examples/%.c: user/man/$$(firstword $$(subst -, ,$$*))
	@mkdir -p $(@D)
	$Qawk -v n=$(lastword $(subst -, ,$*)) '/^\.Bd -literal( -offset indent)?$$/ { on = ++k == n; next } \
		/^\.Ed/ { on = 0 } on { gsub(/\\e/, "\\"); print }' $< > $@

$(EXAMPLES): %: %.c $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) -Iinclude -Iuser/lib $(CFLAGS) -Werror $(LDFLAGS) -o $@ $< $(LIB_STATIC) $(LIB_NEEDS)

# A guest runs one of them, without C++.
EXAMPLES_IN_CXX := $(EXAMPLES:%=%.in-c++)

$(EXAMPLES_IN_CXX): %.in-c++: %.c
	$Q$(CXX) -std=gnu++20 -fsyntax-only -Wall -Wextra -Wno-missing-field-initializers -Werror \
		-Iinclude -Iuser/lib -x c++ $<
	@touch $@

# Programs that the tests run.
$(UNIT_TESTS): | $B/proclife-read $(COMPLETIONS) $(EXAMPLES) $(EXAMPLES_IN_CXX) $B/tests/bench/exact/judge \
	$(patsubst %,$B/tests/guest/workloads/%,inherits orphans)

# They include the library's sources themselves, so the archive's are not linked.
$B/tests/stress/library $B/tests/stress/cpu_rings: $(LIB_STATIC)
$B/tests/stress/library.o $B/tests/stress/cpu_rings.o: override CPPFLAGS += -Itests/stress

$(STRESS_TESTS): $B/tests/stress/%: $B/tests/stress/%.o
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(LIB_NEEDS)

$(GUEST_TESTS): $B/tests/guest/%: $B/tests/guest/%.o $(GUEST_COMMON) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(LIB_NEEDS) $(CMOCKA_LIBS) $(KMOD_LIBS)

# One leaves what the kernel reports of tasks, the other one judges a recording by it.
LISTEN := $B/tests/truth/listen
JUDGE := $B/tests/truth/judge
LIE := $B/tests/truth/lie

$(LISTEN): $(patsubst %,$B/tests/truth/%.o,listen connector ftrace trace)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(LIE): $B/tests/truth/lie.o
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(JUDGE): $(patsubst %.c,$B/%.o,$(filter-out %/listen.c %/connector.c %/ftrace.c %/lie.c,$(wildcard tests/truth/*.c))) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_NEEDS)

EXCHANGE := $B/tests/hook/exchange

workloads: $(WORKLOADS)

# forkpty() is in libutil until glibc 2.34.
$(EXCHANGE) $(WORKLOADS): %: %.o
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ -lutil

FUZZ_DEVICE := $B/tests/guest/fuzz/fuzz

$(FUZZ_DEVICE): $(patsubst %.c,$B/%.o,$(wildcard tests/guest/fuzz/*.c)) $B/tests/guest/module.o $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(LIB_NEEDS) $(KMOD_LIBS)

# Fuzzers need clang, and the library built for them. `make fuzz-tests FUZZ_SECONDS=300` runs them; one that is
# given files replays these, such as those that it has left.
FUZZ_SECONDS ?= 20
FUZZ_FLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# Sources that a fuzzer needs beside the library.
FUZZ_MORE_slow := tests/fuzz/runs.c
FUZZ_MORE_views = tests/fuzz/runs.c tests/unit/support/fake_device.c -Itests -Itests/unit/support -I. $(CMOCKA_LIBS)
FUZZERS := $(filter-out runs,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))
FUZZ_LIB := $B/watched/libproclife.a

$B/tests/fuzz/%: tests/fuzz/%.c $(FUZZ_LIB)
	@mkdir -p $(@D)
	$(call say,CLANG)
	$Qclang $(CPPFLAGS) -std=gnu11 -Wall -Wextra $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $< $(FUZZ_MORE_$*) $(FUZZ_LIB) $(LIB_NEEDS)

.PHONY: $(FUZZ_LIB)
$(FUZZ_LIB):
	+$(MAKE) B=$B/watched CC=clang CFLAGS="$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link" $@

# The program, which the fuzzer of the views runs.
$B/tests/fuzz/views: | $B/sanitized/proclife-read

.PHONY: $B/sanitized/proclife-read
$B/sanitized/proclife-read:
	+$(MAKE) B=$B/sanitized CFLAGS="$(FUZZ_FLAGS)" LDFLAGS="-fsanitize=address,undefined" $@

fuzz-tests: $(FUZZERS:%=$B/tests/fuzz/%)
	set -e; for fuzzer in $(FUZZERS); do \
		mkdir -p $B/tests/fuzz/corpus-$$fuzzer; \
		$B/tests/fuzz/$$fuzzer -max_total_time=$(FUZZ_SECONDS) -max_len=40000 -timeout=60 \
			-artifact_prefix=$B/tests/fuzz/$$fuzzer- -print_final_stats=1 \
			$B/tests/fuzz/corpus-$$fuzzer; \
	done

coverage:
	tests/scripts/setup build check
	tests/scripts/coverage

# The one file of `make static`, as it is built here, in guests with the kernels and roots of three suites of Debian. Only
# the first of them has the module.
check-static:
	tests/scripts/setup static vm suites guest
	@+$(MAKE) -s static
	tests/vm/run -- tests/guest/static.sh
	tests/vm/run --kernel trixie --no-module -- tests/guest/static.sh
	tests/vm/run --kernel sid --no-module -- tests/guest/static.sh

check-valgrind:
	tests/scripts/setup build check
	tests/scripts/valgrind

stress-billion:
	tests/stress/run --records 1000000000

check-litmus:
	tests/litmus/run
	tests/litmus/emitted

# The output of --metrics, judged by the programs that read it.
$B/tests/metrics/machine: $B/tests/metrics/machine.o $(UNIT_SUPPORT) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_NEEDS) -lm $(CMOCKA_LIBS)

$B/tests/metrics/%.o: override CPPFLAGS += -Itests/unit/support

check-metrics:
	tests/scripts/setup build check metrics
	@+$(MAKE) -s all $B/tests/metrics/machine
	B=$B tests/metrics/run

# The page of --html, in a browser.
$B/tests/html/recordings: $B/tests/html/recordings.o $(UNIT_SUPPORT) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_NEEDS) -lm $(CMOCKA_LIBS)

# The output of --export otlp, read with OpenTelemetry's own definitions, from npm; and folded, by speedscope.
# Node.js from other sources than Debian includes npm.
check-exports: all
	command -v npm >/dev/null || tests/scripts/setup exports
	command -v chromium >/dev/null || tests/scripts/setup html
	B=$B tests/exports/run

$B/tests/html/%.o: override CPPFLAGS += -Itests/unit/support

check-html:
	tests/scripts/setup build check html
	@+$(MAKE) -s all $B/tests/html/recordings $(RECORD_BENCH)
	B=$B tests/html/run $(HTML_CHECKS)

# MODEL_SECONDS and MODEL_SEED: see tests/model/run.
check-model: all
	tests/scripts/setup check
	tests/model/run --build $B

# MUTANTS="--seed 1 --count 300 lib read": see tests/mutants/run.
check-mutants:
	tests/scripts/setup build check mutants
	tests/mutants/run $(or $(MUTANTS),lib read)

unit-tests: $(UNIT_TESTS)
stress-tests: $(STRESS_TESTS)

guest-tests: $(EXCHANGE) $(GUEST_TESTS) $(WORKLOADS) $(LISTEN) $(JUDGE) $(LIE) $(FUZZ_DEVICE) $B/tests/examples/libproclife.3-3

.PHONY: unit-tests stress-tests guest-tests workloads fuzz-tests coverage check-static check-valgrind stress-billion check-litmus check-metrics check-html check-exports check-model check-mutants
