# SPDX-License-Identifier: GPL-2.0-only
# The benchmarks: they print tables and judge nothing. OPTIONS goes to the program.

READER_BENCH := $B/tests/bench/reader

$(READER_BENCH): $B/tests/bench/reader.o $B/tests/bench/passes.o $(GENERATOR) $(LIB_STATIC)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# It drives the unit tests' device, which asserts with cmocka.
RECORD_BENCH := $B/tests/bench/record

$B/tests/bench/record.o $B/tests/bench/build.o: override CPPFLAGS += -I.

$(RECORD_BENCH): $(patsubst %,$B/tests/%.o,bench/record bench/build unit/fake_device unit/records) \
		$(GENERATOR) $(LIB_STATIC)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(CMOCKA_LIBS)

RECORDER_BENCH := $B/tests/bench/recorder

$B/tests/bench/recorder.o: override CPPFLAGS += -I.

$(RECORDER_BENCH): $(patsubst %,$B/tests/%.o,bench/recorder unit/fake_device unit/records) $(GENERATOR) \
		$(LIB_STATIC)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(CMOCKA_LIBS)

VIEWS_BENCH := $B/tests/bench/views

$(VIEWS_BENCH): $B/tests/bench/views.o | $(RECORD_BENCH) $B/proclife-read
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

bench-reader: $(READER_BENCH) bench-views bench-recorder
	$(READER_BENCH) $(OPTIONS)

# RECORDER_OPTIONS="-p 300000 -c 4 DIR"
bench-recorder: $(RECORDER_BENCH)
	$(RECORDER_BENCH) $(RECORDER_OPTIONS)

# VIEWS_OPTIONS="-p 1000000 -r 3"
bench-views: $(VIEWS_BENCH)
	$(VIEWS_BENCH) $(VIEWS_OPTIONS)

.PHONY: bench-reader bench-recorder bench-views
