# SPDX-License-Identifier: GPL-2.0-only
# The test programs. B and CFLAGS say which build of them: tests/scripts/check makes several.

UNIT_TESTS := $(patsubst tests/unit/%.c,$B/tests/unit/%,$(wildcard tests/unit/test_*.c))
STRESS_TESTS := $(patsubst tests/stress/%.c,$B/tests/stress/%,$(wildcard tests/stress/*.c))
GUEST_TESTS := $(patsubst tests/guest/%.c,$B/tests/guest/%,$(wildcard tests/guest/test_*.c))
WORKLOADS := $(patsubst tests/guest/workloads/%.c,$B/tests/guest/workloads/%,\
	$(wildcard tests/guest/workloads/*.c))
# What they share. recorded.c has an ioctl() of its own, which story.c needs, and failing.c more of the
# kind: only for those that want it. property.c is of the traces that are generated.
UNIT_COMMON := $(patsubst %.c,$B/%.o,$(filter-out $(patsubst %,tests/unit/support/%.c,recorded story stories acts plan chain tree_story parted failing property live_device fires watching salvage fixture_text returns terminal live_screen metrics_file exporting judging),\
	$(wildcard tests/unit/support/*.c)))
GUEST_COMMON := $(patsubst %.c,$B/%.o,$(filter-out $(wildcard tests/guest/test_*.c),$(wildcard tests/guest/*.c)))

$B/tests/%: override CPPFLAGS += -Itests
$B/tests/unit/%: override CPPFLAGS += -Itests/unit/support

LIBRARIES = $(LIB_STATIC) -lm
$(UNIT_TESTS): $B/tests/unit/%: $B/tests/unit/%.o $(UNIT_COMMON) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBRARIES) $(CMOCKA_LIBS)

READ_TESTS := $(patsubst %,$B/tests/unit/%,test_options test_format test_quote test_invisible test_expect \
	test_conditions test_significance test_spread test_explain test_rcu test_summary test_when test_diagnose test_metrics test_metrics_live test_prometheus test_forget test_past test_agenda test_watch test_html test_export_otlp test_export_perfetto test_reaction)

$(READ_TESTS:%=%.o) $B/tests/unit/support/fixture_text.o: override CPPFLAGS += -Iuser/read
$(READ_TESTS): $(READ_ARCHIVE)
$(patsubst %,$B/tests/unit/%,test_explain test_format test_invisible test_quote test_when): $B/tests/unit/support/fixture_text.o
$(READ_TESTS): LIBRARIES = $(READ_ARCHIVE) $(LIB_STATIC) -lm
$B/tests/unit/test_diagnose.o: override CPPFLAGS += $(KMOD_CFLAGS)
$B/tests/unit/test_diagnose: $B/user/read/session/diagnose.o
$B/tests/unit/test_reaction: override LDFLAGS += -Wl,--wrap=fork
$(patsubst %,$B/tests/unit/%.o,test_dying test_dying_exiting test_usage): override CPPFLAGS += -Iuser/read
$B/tests/unit/test_dying $B/tests/unit/test_dying_exiting: $(READ_ARCHIVE) $B/tests/unit/support/recorded.o
$B/tests/unit/test_dying $B/tests/unit/test_dying_exiting: LIBRARIES = $(READ_ARCHIVE) $(LIB_STATIC) -lm
$B/tests/unit/test_view_dying: $B/tests/unit/support/recorded.o $B/tests/unit/support/story.o | $B/proclife-read
$B/tests/unit/test_memory $B/tests/unit/test_memory_lost: $B/tests/unit/support/returns.o
$B/tests/unit/test_usage: | $B/proclife-read
$B/tests/unit/test_completion: | $B/proclife-read $B/completions/bash $B/completions/zsh

$B/tests/unit/test_judge $B/tests/unit/test_judge_program: $B/tests/unit/support/judging.o | $B/tests/bench/exact/judge
# Tests of what lies in the sources: the schema, the manual pages.
$(patsubst %,$B/tests/unit/%.o,test_pages test_growth test_schema test_fields support/judging test_junit test_transcripts test_export test_export_otlp test_export_perfetto support/exporting): override CPPFLAGS += -DSOURCE='"$(CURDIR)"'

# The programs in the manual pages compile as they stand there, with what a program of others has, and
# in C++ too. NAME-2 is the second one of its page.
EXAMPLES := $(addprefix $B/tests/examples/,libproclife.3-1 libproclife.3-2 libproclife.3-3 libproclife.3-4 libproclife.3-5 \
	proclife.4-1)

.SECONDEXPANSION:
$(EXAMPLES:%=%.c): $B/tests/examples/%.c: user/man/$$(firstword $$(subst -, ,$$*))
	@mkdir -p $(@D)
	$Qawk -v n=$(lastword $(subst -, ,$*)) '/^\.Bd -literal/ { on = ++k == n; next } \
		/^\.Ed/ { on = 0 } on { gsub(/\\e/, "\\"); print }' $< > $@

$(EXAMPLES): %: %.c $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) -Iinclude -Iuser/lib $(CFLAGS) -Werror $(LDFLAGS) -o $@ $< $(LIB_STATIC)

# A guest runs one, and needs no C++ for that.
EXAMPLES_IN_CXX := $(EXAMPLES:%=%.in-c++)

$(EXAMPLES_IN_CXX): %.in-c++: %.c
	$Q$(CXX) -std=gnu++20 -fsyntax-only -Wall -Wextra -Wno-missing-field-initializers -Werror \
		-Iinclude -Iuser/lib -x c++ $<
	@touch $@

$B/tests/unit/test_pages: $B/tests/unit/support/recorded.o $B/tests/unit/support/story.o
$B/tests/unit/test_pages: | $(EXAMPLES) $(EXAMPLES_IN_CXX) $B/proclife-read

STORY_TESTS := $(filter %/test_users %/test_view_events %/test_view_cgroup_ends %/test_view_lives %/test_view_exits %/test_view_memory %/test_width %/test_tree_columns %/test_lives_alone %/test_view_parents %/test_lived %/test_view_zombies %/test_diff_program %/test_diff_lines %/test_diff_memory %/test_diff_runs %/test_junit %/test_junit_theirs %/test_select \
	%/test_state %/test_interface %/test_json %/test_slow %/test_slow_shapes %/test_add_up %/test_suppressed %/test_names %/test_outside %/test_view_damage \
	%/test_info %/test_slice %/test_slice_names %/test_slice_taken %/test_view_tree %/test_tree_fold %/test_tree_words %/test_transcripts %/test_limits %/test_intervals %/test_metrics %/test_html %/test_summary %/test_critical %/test_critical_text %/test_live %/test_live_screen %/test_carry %/test_triggers %/test_export %/test_export_otlp %/test_export_perfetto %/test_identity %/test_triggers_gaps %/test_ends_shown,$(UNIT_TESTS))
RECORDING_TESTS := $(STORY_TESTS) $(filter %/test_recording %/test_damage %/test_unfinished %/test_salvage %/test_salvage_files %/test_replay \
	%/test_babeltrace %/test_schema %/test_failures %/test_search %/test_parts %/test_parts_kept %/test_prepend %/test_parts_damaged %/test_parts_failing,$(UNIT_TESTS))

$(RECORDING_TESTS): $B/tests/unit/support/recorded.o
$(STORY_TESTS): $B/tests/unit/support/story.o | $B/proclife-read
$B/tests/unit/test_critical $B/tests/unit/test_critical_text: $B/tests/unit/support/plan.o $B/tests/unit/support/chain.o
$(patsubst %,$B/tests/unit/%,test_replay test_babeltrace test_progress test_schema test_search): | $B/proclife-read

$(patsubst %,$B/tests/unit/%,test_replay test_babeltrace test_metrics_live test_intervals_live test_triggers_live test_reactions_live test_live test_live_screen test_own test_inherited test_children): $B/tests/unit/support/live_device.o

$B/tests/unit/test_triggers $B/tests/unit/test_triggers_gaps $B/tests/unit/test_ends_shown: $B/tests/unit/support/fires.o
$B/tests/unit/test_triggers_live $B/tests/unit/test_reactions_live $B/tests/unit/test_inherited: $B/tests/unit/support/watching.o
$(patsubst %,$B/tests/unit/%,test_live test_live_screen): $(patsubst %,$B/tests/unit/support/%.o,terminal live_screen)
$B/tests/unit/test_metrics $B/tests/unit/test_metrics_live: $B/tests/unit/support/metrics_file.o
$B/tests/unit/test_metrics_live $B/tests/unit/test_intervals_live $B/tests/unit/test_triggers_live $B/tests/unit/test_reactions_live $B/tests/unit/test_own $B/tests/unit/test_inherited $B/tests/unit/test_children: $B/tests/unit/support/recorded.o | $B/proclife-read
$B/tests/unit/test_inherited: | $B/tests/guest/workloads/inherits
$B/tests/unit/test_children: | $B/tests/guest/workloads/orphans

$(patsubst %,$B/tests/unit/%,test_salvage test_salvage_files): $B/tests/unit/support/salvage.o

$(patsubst %,$B/tests/unit/%,test_claims test_changed test_daytime test_env test_locale): $B/tests/unit/support/recorded.o

# What of the C library the library uses goes through this test, which lets it fail.
FAILING := malloc calloc realloc aligned_alloc strdup asprintf open_memstream fdopendir free open openat fstat \
	mkdirat renameat ftruncate mmap readdir getrandom ioctl read pread pwrite close

$B/tests/unit/test_failures $B/tests/unit/test_parts_failing $B/tests/unit/test_refused: $B/tests/unit/support/failing.o
$B/tests/unit/test_failures $B/tests/unit/test_parts_failing $B/tests/unit/test_refused: override LDFLAGS += $(FAILING:%=-Wl,--wrap=%)

$B/tests/unit/test_salvage: override LDFLAGS += -Wl,--wrap=pread
$B/tests/unit/test_recording: private override LDFLAGS += -Wl,--wrap=getrandom
$B/tests/unit/test_users: private override LDFLAGS += -Wl,--wrap=getpwuid_r -Wl,--wrap=clock_gettime
$B/tests/unit/test_unfinished: private override LDFLAGS += -Wl,--wrap=sched_yield -Wl,--wrap=mkdirat
$B/tests/unit/test_own: private override LDFLAGS += -Wl,--wrap=geteuid -Wl,--wrap=mkdirat -Wl,--wrap=closedir
$B/tests/unit/test_waiting: override LDFLAGS += -Wl,--wrap=poll -Wl,--wrap=fstat -Wl,--wrap=ioctl
$B/tests/unit/test_rcu: override LDFLAGS += -Wl,--wrap=fopen -Wl,--wrap=uname
$B/tests/unit/test_cgroups: override LDFLAGS += -Wl,--wrap=fopen -Wl,--wrap=open_by_handle_at

# The machine that it has, without libkmod.
DIAGNOSED := opendir access uname kmod_new kmod_unref kmod_module_new_from_lookup \
	kmod_module_unref_list

$B/tests/unit/test_diagnose: private override LDFLAGS += $(DIAGNOSED:%=-Wl,--wrap=%)

# The trace generator, which the benchmark of the reader has too.
GENERATOR := $(patsubst %,$B/tests/bench/%.o,generate simulate objects streams truth)

$B/tests/unit/test_tree_fold.o $B/tests/unit/test_diff_runs.o: override CPPFLAGS += -I.

$B/tests/unit/test_tree_fold $B/tests/unit/test_tree_words: $B/tests/unit/support/tree_story.o

$B/tests/unit/test_tree_fold $B/tests/unit/test_diff_runs: $(patsubst %,$B/tests/bench/%.o,build command_lines)

$B/tests/unit/test_transcripts $B/tests/unit/test_export $B/tests/unit/test_export_otlp $B/tests/unit/test_export_perfetto: $B/tests/unit/support/stories.o $B/tests/unit/support/acts.o
$B/tests/unit/test_export $B/tests/unit/test_export_otlp $B/tests/unit/test_export_perfetto: $B/tests/unit/support/exporting.o

$B/tests/unit/test_properties: $B/tests/unit/support/property.o $(GENERATOR)
$B/tests/unit/test_parts $B/tests/unit/test_parts_kept $B/tests/unit/test_parts_damaged $B/tests/unit/test_parts_failing: $B/tests/unit/support/parted.o $(GENERATOR)

$B/tests/unit/test_carry: $(GENERATOR) $B/tests/unit/support/stories.o $B/tests/unit/support/acts.o

# The sources of the library that it includes are its own: the archive's are not taken.
$B/tests/stress/library: $(LIB_STATIC)
$B/tests/stress/library.o: override CPPFLAGS += -Itests/stress

$(STRESS_TESTS): $B/tests/stress/%: $B/tests/stress/%.o
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^

$(GUEST_TESTS): $B/tests/guest/%: $B/tests/guest/%.o $(GUEST_COMMON) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(CMOCKA_LIBS) $(KMOD_LIBS)

EXCHANGE := $B/tests/hook/exchange

workloads: $(WORKLOADS)

# forkpty() is in libutil until glibc 2.34.
$(EXCHANGE) $(WORKLOADS): %: %.o
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ -lutil

FUZZ_DEVICE := $B/tests/guest/fuzz/fuzz

$(FUZZ_DEVICE): $(patsubst %.c,$B/%.o,$(wildcard tests/guest/fuzz/*.c)) $B/tests/guest/module.o $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(KMOD_LIBS)

EXACTNESS := $B/tests/guest/exactness/exactness

$(EXACTNESS): $(patsubst %.c,$B/%.o,$(wildcard tests/guest/exactness/*.c)) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# Fuzzers need clang: they are built from the sources in one go. `make fuzz-tests FUZZ_SECONDS=300`
# runs them; a -standalone one replays files, such as those that a fuzzer has left.
FUZZ_SECONDS ?= 20
FUZZ_FLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# What a fuzzer needs beside the library.
FUZZ_MORE_slow := tests/fuzz/runs.c
FUZZ_MORE_views = tests/fuzz/runs.c tests/unit/support/fake_device.c -Itests -Itests/unit/support -I. $(CMOCKA_LIBS)
FUZZERS := $(filter-out standalone runs,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))

$B/tests/fuzz/%: tests/fuzz/%.c $(LIB_SOURCES) $(wildcard user/lib/*.h user/lib/*/*.h include/proclife/*.h)
	@mkdir -p $(@D)
	$(call say,CLANG)
	$Qclang $(CPPFLAGS) -std=gnu11 -Wall -Wextra $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $< $(LIB_SOURCES) $(FUZZ_MORE_$*)

$B/tests/fuzz/%-standalone: tests/fuzz/%.c tests/fuzz/standalone.c $(LIB_SOURCES) $(wildcard user/lib/*.h user/lib/*/*.h include/proclife/*.h)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CC) $(CPPFLAGS) -std=gnu11 -Wall -Wextra $(FUZZ_FLAGS) -o $@ $< tests/fuzz/standalone.c $(LIB_SOURCES) $(FUZZ_MORE_$*)

# The program, which the fuzzer of the views runs.
$B/tests/fuzz/views $B/tests/fuzz/views-standalone: | $B/sanitized/proclife-read

.PHONY: $B/sanitized/proclife-read
$B/sanitized/proclife-read:
	+$(MAKE) B=$B/sanitized CFLAGS="$(FUZZ_FLAGS)" LDFLAGS="-fsanitize=address,undefined" $@

fuzz-tests: $(FUZZERS:%=$B/tests/fuzz/%) $(FUZZERS:%=$B/tests/fuzz/%-standalone)
	set -e; for fuzzer in $(FUZZERS); do \
		mkdir -p $B/tests/fuzz/corpus-$$fuzzer; \
		$B/tests/fuzz/$$fuzzer -max_total_time=$(FUZZ_SECONDS) -max_len=40000 -timeout=60 \
			-artifact_prefix=$B/tests/fuzz/$$fuzzer- -print_final_stats=1 \
			$B/tests/fuzz/corpus-$$fuzzer; \
	done

coverage:
	tests/scripts/setup build check
	tests/scripts/coverage

check-valgrind:
	tests/scripts/setup build check
	tests/scripts/valgrind

stress-billion:
	tests/stress/run --records 1000000000

check-litmus:
	tests/litmus/run
	tests/litmus/emitted

# What --metrics writes, judged by those who read it.
$B/tests/metrics/machine: $B/tests/metrics/machine.o $B/tests/unit/support/live_device.o \
		$B/tests/unit/support/recorded.o $(UNIT_COMMON) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBRARIES) $(CMOCKA_LIBS)

$B/tests/metrics/%.o: override CPPFLAGS += -Itests/unit/support

check-metrics:
	tests/scripts/setup build check metrics
	@+$(MAKE) -s all $B/tests/metrics/machine
	B=$B tests/metrics/run

# The page of --html, in a browser.
$B/tests/html/recordings: $(patsubst %,$B/tests/%.o,html/recordings unit/support/stories unit/support/acts unit/support/story \
		unit/support/recorded) $(UNIT_COMMON) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBRARIES) $(CMOCKA_LIBS)

# What --export otlp writes, read with OpenTelemetry's own definitions, from npm; and folded, by speedscope.
# Node.js of another source than Debian's has npm in it.
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
WITNESS := $B/tests/guest/witness/witness

$(WITNESS): $(patsubst %.c,$B/%.o,$(wildcard tests/guest/witness/*.c)) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

guest-tests: $(EXCHANGE) $(GUEST_TESTS) $(WORKLOADS) $(EXACTNESS) $(WITNESS) $(FUZZ_DEVICE) $B/tests/examples/libproclife.3-3

.PHONY: unit-tests stress-tests guest-tests workloads fuzz-tests coverage check-valgrind stress-billion check-litmus check-metrics check-html check-exports check-model check-mutants
