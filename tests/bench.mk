# SPDX-License-Identifier: GPL-2.0-only
# The benchmarks: they print tables and judge nothing. OPTIONS goes to the program.

READER_BENCH := $B/tests/bench/reader

$(READER_BENCH): $B/tests/bench/reader.o $B/tests/bench/passes.o $(GENERATOR) $(LIB_STATIC)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

bench-reader: $(READER_BENCH)
	$(READER_BENCH) $(OPTIONS)

.PHONY: bench-reader
