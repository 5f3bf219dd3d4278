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

bench-reader: $(READER_BENCH)
	$(READER_BENCH) $(OPTIONS)

.PHONY: bench-reader
