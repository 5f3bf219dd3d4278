# SPDX-License-Identifier: GPL-2.0-only
# The benchmarks: they print tables and judge nothing. OPTIONS goes to the program; `N=1000` sets how
# many processes there are in those that boot a guest.

READER_BENCH := $B/tests/bench/reader

$(READER_BENCH): $B/tests/bench/reader.o $B/tests/bench/passes.o $(GENERATOR) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_NEEDS)

# It drives the unit tests' device, which asserts with cmocka.
RECORD_BENCH := $B/tests/bench/record

$B/tests/bench/record.o $B/tests/bench/build.o: override CPPFLAGS += -I.

$(RECORD_BENCH): $(patsubst %,$B/tests/%.o,bench/record bench/build bench/command_lines unit/support/fake_device unit/support/records) \
		$(GENERATOR) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_NEEDS) $(CMOCKA_LIBS) -lm

RECORDER_BENCH := $B/tests/bench/recorder

$B/tests/bench/recorder.o: override CPPFLAGS += -I.

$(RECORDER_BENCH): $(patsubst %,$B/tests/%.o,bench/recorder unit/support/fake_device unit/support/records) $(GENERATOR) \
		$(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_NEEDS) $(CMOCKA_LIBS)

VIEWS_BENCH := $B/tests/bench/views

$(VIEWS_BENCH): $B/tests/bench/views.o | $(RECORD_BENCH) $B/proclife-read
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

bench-reader: $(READER_BENCH) bench-views bench-recorder
	$(READER_BENCH) $(OPTIONS)

# RECORDER_OPTIONS="-p 300000 -c 4 DIR"
bench-recorder: $(RECORDER_BENCH)
	$(RECORDER_BENCH) $(RECORDER_OPTIONS)

# VIEWS_OPTIONS="-p 1000000 -r 3"; of a random machine, and of a build with its command lines
bench-views: $(VIEWS_BENCH)
	$(VIEWS_BENCH) $(VIEWS_OPTIONS)
	$(VIEWS_BENCH) -b $(VIEWS_OPTIONS)

# HTML_OPTIONS="100000"
bench-html: all $(RECORD_BENCH)
	tests/scripts/setup build html
	B=$B tests/html/bench $(HTML_OPTIONS)

# The programs of the guest, and the judge. The forest executes itself and the leaf.
GUEST_BENCH := $(patsubst %,$B/tests/bench/%,forest/forest forest/leaf exact/judge usage \
	probe/cycle probe/attach snapshot/snapshot pace) $(LISTEN)

$B/tests/bench/forest/forest: $(patsubst %,$B/tests/bench/forest/%.o,forest jobs process)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^

$B/tests/bench/forest/leaf: $B/tests/bench/forest/leaf.o
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -static -nostartfiles -o $@ $^

$B/tests/bench/exact/judge: $(patsubst %.c,$B/%.o,$(wildcard tests/bench/exact/*.c)) \
		$B/tests/truth/trace.o
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$B/tests/bench/usage $B/tests/bench/pace: %: %.o
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$B/tests/bench/probe/cycle: %: %.o
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -static -pthread -o $@ $^

$B/tests/bench/probe/attach: $B/tests/bench/probe/attach.o $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_NEEDS)

$B/tests/bench/snapshot/snapshot: $(patsubst %,$B/tests/bench/snapshot/%.o,snapshot crowd frees) $(LIB_STATIC)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_NEEDS)

bench-packages:
	tests/scripts/setup build vm bench

GUEST_BENCHES := bench-exact bench-flood bench-peers bench-probe bench-probe-wall bench-probe-scale \
	bench-probe-size bench-snapshot bench-keep soak

$(GUEST_BENCHES): bench-packages
	+$(MAKE) all $(GUEST_BENCH)
	tests/bench/$(@:bench-%=%).sh $(if $N,--processes $N) $(OPTIONS)

$(GUEST_BENCHES): export B := $B

bench-ring: bench-packages
	tests/bench/ring.sh $(OPTIONS)

.PHONY: bench-ring bench-reader bench-recorder bench-views bench-html bench-packages $(GUEST_BENCHES)
