#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""
A reader of /dev/proclife that was written by proclife(4) alone, with Python's standard library: does that page say
all that a program needs? It maps the rings, follows them with the reader's contract, merges them below the horizon,
and prints a line for each FORK, EXEC and EXIT, a LOST for each gap, and a STOP where recording is stopped.

    reader.py [DEVICE]     until standard input ends
"""
import fcntl
import heapq
import mmap
import os
import select
import struct
import sys

MAGIC, ABI = 0x006566696c637270, 3
IOC_CLOCK = 0x8020f703
FORK, EXEC, EXIT, SUPPRESSED = 1, 2, 5, 12
NONE = 0


class Header:
    """The first page: every offset, size and number is taken from there, once."""

    def __init__(self, first):
        (magic, version, compatible, self.header_bytes, self.record_bytes, self.map_bytes, self.rings_offset,
         self.ring_stride, self.records_offset, self.records_per_ring, self.cpus,
         self.cpu_map_offset) = struct.unpack_from("<QIIIIQQQQQII", first, 0)
        if magic != MAGIC or compatible > ABI or version < ABI:
            sys.exit("not a device that this program understands")


class Ring:
    def __init__(self, cpu, words, records, header):
        self.cpu, self.words, self.records = cpu, words, records
        self.size, self.stride = header.records_per_ring, header.record_bytes
        self.position = self.commit()
        self.last = 0  # the ts of the last record that was copied

    # The words of the mapping are loaded whole: see "How to read a ring".
    def reserve(self):
        return self.words[0]

    def commit(self):
        return self.words[1]

    def copy(self, position):
        at = position % self.size * self.stride
        return bytes(self.records[at:at + self.stride])

    def take(self, commit):
        """Yields what is whole of the records up to commit, and before that how many are lost."""
        begin = max(self.position, commit - self.size)
        copies = [self.copy(position) for position in range(begin, commit)]
        oldest = max(self.reserve() - self.size, 0)  # after the copies
        lost = max(min(oldest, commit) - self.position, begin - self.position, 0)
        whole = copies[self.position + lost - begin:]
        before, self.position = self.last, commit
        if lost:
            yield before, self.cpu, ("LOST %d on CPU %d" % (lost, self.cpu)), None
        for copy in whole:
            self.last = struct.unpack_from("<Q", copy, 0)[0]
            yield self.last, self.cpu, None, copy


class Reader:
    def __init__(self, path):
        self.file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with mmap.mmap(self.file, mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ) as first:
            self.header = Header(first)
        self.map = mmap.mmap(self.file, self.header.map_bytes, mmap.MAP_SHARED, mmap.PROT_READ)
        self.view = memoryview(self.map)
        self.rings, self.generation, self.waiting, self.count = {}, 0, [], 0
        self.add_rings()

    def add_rings(self):
        header = self.header
        generation = self.view[72:80].cast("Q")[0]
        if generation == self.generation:
            return
        cpu_map = self.view[header.cpu_map_offset:][:(header.cpus + 63) // 64 * 8].cast("Q")
        for cpu in range(header.cpus):
            if cpu in self.rings or not cpu_map[cpu // 64] >> cpu % 64 & 1:
                continue
            ring = self.view[header.rings_offset + cpu * header.ring_stride:]
            self.rings[cpu] = Ring(cpu, ring[:64].cast("Q"), ring[header.records_offset:]
                                   [:header.records_per_ring * header.record_bytes], header)
            if self.generation:  # it has appeared since: all that it has is new
                self.rings[cpu].position = 0
        self.generation = generation

    def horizon(self):
        clock = bytearray(32)
        fcntl.ioctl(self.file, IOC_CLOCK, clock)
        horizon = struct.unpack_from("<Q", clock, 0)[0]
        self.add_rings()
        for ring in self.rings.values():
            reserve, commit = ring.reserve(), ring.commit()
            for item in ring.take(commit):
                self.count += 1  # in the order of positions
                heapq.heappush(self.waiting, item[:2] + (self.count,) + item[2:])
            if commit < reserve:
                horizon = min(horizon, ring.last)
        return horizon

    def round(self):
        """Yields what is certain."""
        horizon = self.horizon()
        while self.waiting and self.waiting[0][0] < horizon:
            yield heapq.heappop(self.waiting)

    def acknowledge(self):
        try:
            os.read(self.file, 8)
        except BlockingIOError:
            pass

    def follow(self):
        while True:
            self.acknowledge()
            yield from self.round()
            sys.stdout.flush()
            if sys.stdin in select.select([self.file, sys.stdin], [], [], 1)[0]:
                yield from self.round()
                return


def text(raw):
    return raw.split(b"\0")[0].decode("utf-8", "backslashreplace")


def line(copy):
    """What is printed of a record; None: nothing, if its type is not known."""
    ts, kind, cpu, _, _, _, pid, tgid = struct.unpack_from("<QHHIQQII", copy, 0)
    begin = "%d %d " % (ts, cpu)
    who = "%d %d %s" % (tgid, pid, text(copy[40:56]))
    if kind == FORK:
        creator_pid, creator_tgid = struct.unpack_from("<II", copy, 56 + 40)
        return begin + "FORK %s by %d %d" % (who, creator_tgid, creator_pid)
    if kind == EXEC:
        length = struct.unpack_from("<I", copy, 56 + 20)[0]
        return begin + "EXEC %s path %d %s" % (who, length, text(copy[56 + 24:56 + 72]))
    if kind == EXIT:
        return begin + "EXIT %s status %d" % (who, struct.unpack_from("<i", copy, 56)[0])
    if kind == SUPPRESSED:
        what, ended, since = struct.unpack_from("<IIQ", copy, 56)
        if what == NONE:
            return begin + "STOP %s since %d" % ("ends" if ended else "begins", since)
    return None


def main():
    reader = Reader(sys.argv[1] if len(sys.argv) > 1 else "/dev/proclife")
    print("READY", flush=True)
    for item in reader.follow():
        lost, copy = item[-2:]
        shown = lost or line(copy)
        if shown:
            print(shown)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
