# SPDX-License-Identifier: GPL-2.0-only
"""
Recordings that are damaged, cut off or still being written. What can be read is shown, the rest is
lost like records that were overwritten: the code that does the harm knows how many, where and when.
"""
import fcntl
import json
import os
import random
import re
import struct

import abi
import checks
import machine
import recording
import session
import truth
import values
import views

VIEWS = (["--tree"], ["--latency"], ["--parents"], ["--zombies"], ["--latency", "--threads"])


def packets(path, metadata):
    """(offset, size, number of records) of each packet in a stream's file."""
    found, at = [], 0
    with open(path, "rb") as file:
        data = file.read()
    while at < len(data):
        packet = metadata.packet.unpack(data, at)
        size = packet["packet_size"] // 8
        found.append((at, size, (packet["content_size"] // 8 - 1) // abi.RECORD_BYTES))
        at += size
    return found


class Stream:
    """A stream of a recording that is about to be damaged, and what it loses by that."""

    def __init__(self, folder, metadata, cpu, records):
        self.name = "snapshot" if cpu == recording.SNAPSHOT else "cpu_%d" % cpu
        self.path, self.records = os.path.join(folder, self.name), records
        self.said_cpu = None if cpu == recording.SNAPSHOT else cpu
        self.packets = packets(self.path, metadata)
        with open(self.path, "rb") as file:
            self.data = bytearray(file.read())
        self.lost, self.at = set(), None

    def write(self):
        with open(self.path, "wb") as file:
            file.write(self.data)

    def place(self, number):
        """The offset of this record, and its packet."""
        for at, size, count in self.packets:
            if number < count:
                return at + (1 + number) * abi.RECORD_BYTES, at
            number -= count
        return None

    def first(self, packet):
        return sum(count for at, size, count in self.packets if at < packet)

    def lose(self, at, first, count):
        self.lost |= set(range(first, first + count))
        self.at = min(at, self.at) if self.at is not None else at

    # Each of these returns whether it was possible

    def record(self, rng):
        """A record, or several in a row, get an impossible type, CPU or time."""
        number, most = rng.randrange(len(self.records)), rng.choice([1, 1, 3])
        at, packet = self.place(number)
        for each in range(number, number + most):
            if each < len(self.records) and self.place(each)[1] == packet:
                self.spoil(rng, each)
        self.at = at

    def spoil(self, rng, number):
        at, _ = self.place(number)
        offset, value = rng.choice([(8, b"\xff\xff"), (8, b"\0\0"), (10, b"\xff\x7f"), (0, b"\0" * 8),
                                    (0, b"\xff" * 8)])
        self.data[at + offset:at + offset + len(value)] = value
        self.lose(at, number, 1)

    def header(self, rng):
        """A byte of a packet's header becomes another one."""
        at, _, count = rng.choice(self.packets)
        byte = at + rng.randrange(abi.RECORD_BYTES)
        self.data[byte] ^= 1 << rng.randrange(8)
        self.lose(at, self.first(at), count)

    def zeros(self, rng):
        """Blocks of the file become zero."""
        begin = rng.randrange(0, len(self.data), 4096)
        end = begin + 4096 * rng.randrange(1, 4)
        for at, _, count in self.packets:
            first = self.first(at)
            if begin <= at < end:
                self.lose(at, first, count)
                continue
            slots = [number for number in range(count)
                     if begin <= at + (1 + number) * abi.RECORD_BYTES < end]
            if slots:
                self.lose(at + (1 + slots[0]) * abi.RECORD_BYTES, first + slots[0], len(slots))
        self.data[begin:end] = b"\0" * len(self.data[begin:end])

    def short(self, rng):
        """The end is missing; a record that is partly there is lost."""
        length = rng.randrange(len(self.data))
        for at, _, count in self.packets:
            whole = max(length - at, 0) // abi.RECORD_BYTES - 1
            if whole < count:
                self.lose(length, self.first(at) + max(whole, 0), count - max(whole, 0))
        del self.data[length:]
        self.at = None  # where that is noticed depends on what follows the last record

    def without(self, rng):
        """A packet is missing, or an earlier one lies in its place."""
        at, size, count = rng.choice(self.packets)
        self.lose(at, self.first(at), count)
        others = [other for other, length, _ in self.packets if length == size and other < at]
        if others and rng.random() < .4:
            other = rng.choice(others)
            self.data[at:at + size] = self.data[other:other + size]
        else:
            del self.data[at:at + size]

    def gone(self, rng):
        """There is no such file, or another kind of file."""
        self.lose(0, 0, len(self.records))
        os.rename(self.path, self.path + ".away")
        kind = rng.randrange(3)
        if kind == 1:
            os.symlink(self.name + ".away", self.path)
        elif kind == 2:
            os.mkfifo(self.path)

    def harm(self, rng):
        kinds = [self.record, self.record, self.header, self.zeros, self.short, self.without]
        kind = rng.choice(kinds if rng.random() < .9 else [self.gone])
        kind(rng)
        if kind != self.gone:
            self.write()
        return kind.__name__


def check_damage(checker, seed):
    """One or two streams of a complete recording: the loss is reported exactly, and in its place."""
    rng = random.Random("damage %d" % seed)
    made = machine.Machine(rng, cpus=rng.choice([1, 2, 4]), pid_range=rng.choice([10, 40, 1000]))
    made.begin()
    made.run(rng.choice([60, 150]))
    path, read = checks.make(checker, "damage", made)
    records = dict(enumerate(made.records))
    records[recording.SNAPSHOT] = made.snapshot
    usable = [cpu for cpu, of in records.items() if of]
    streams = [Stream(path, read.metadata, cpu, records[cpu])
               for cpu in rng.sample(usable, min(len(usable), rng.randrange(1, 3)))]
    kinds = [stream.harm(rng) for stream in streams]
    lost = [stream.records[number] for stream in streams for number in stream.lost]
    words = ["-i", path, "--events"]
    code, out, errors = checker.call(*words, "--json")
    checker.equal(words, "status after %s" % kinds, 3, code)
    got = [json.loads(line) for line in out.splitlines()]
    gaps = [each for each in got if each["type"] == "lost"]
    check_gaps(checker, words, streams, gaps)
    checker.equal(words, "lost after %s" % kinds, len(lost), got[-1]["lost"])
    missing = {id(record) for record in lost}
    kept = [(record["ts"], record["cpu"], record["type"], record["pid"])
            for cpu, of in records.items() for record in of if id(record) not in missing
            and record["type"] not in ("args", *views.ABOUT_NOBODY)]
    seen = [(each["ts"], each["cpu"], each["type"], each["tid"]) for each in got[1:-1]
            if each["type"] not in ("lost", "args", "damage", *views.ABOUT_NOBODY)]
    checker.equal(words, "records after %s" % kinds, sorted(kept), sorted(seen))
    checker.equal(words, "order", sorted(seen, key=lambda each: each[0]), seen)
    check_damage_is_said(checker, words, path, streams, got, errors)
    words = ["-i", path, "--tree"]
    objects = [json.loads(line) for line in checker.call(*words, "--json")[1].splitlines()]
    truth.check(checker, words, made, objects, lost, gaps)
    for view in VIEWS:
        code, out, _ = checker.call("-i", path, *view, "--json")
        checker.equal(["-i", path, *view], "status", 3, code)
        checker.equal(["-i", path, *view], "lost", len(lost), json.loads(out.splitlines()[-1])["lost"])
    for figure, status in (("lost==%d" % len(lost), 3), ("lost<%d" % len(lost), 2)):
        words = ["-i", path, "--expect", figure]
        checker.equal(words, "status", status, checker.call(*words)[0])


def check_gaps(checker, words, streams, gaps):
    """Each gap lies between the records before and after the loss, and counts all of it."""
    for stream in streams:
        told = [gap for gap in gaps if gap["cpu"] == stream.said_cpu]
        checker.equal(words, "lost of %s" % stream.name, len(stream.lost),
                      sum(gap["lost"] for gap in told))
        times = [record["ts"] for record in stream.records]
        for number in stream.lost:
            around = [gap for gap in told if gap["from"] <= times[number] <= gap["to"]]
            if not around:
                checker.differ(words, "gap of %s" % stream.name, times[number], told)
        good = [ts for number, ts in enumerate(times) if number not in stream.lost]
        for gap in told:
            within = [ts for ts in good if gap["from"] < ts < gap["to"]]
            checker.equal(words, "good records within a gap of %s" % stream.name, [], within)
    others = [gap for gap in gaps if gap["cpu"] not in [stream.said_cpu for stream in streams]]
    checker.equal(words, "gaps elsewhere", [], others)


def check_damage_is_said(checker, words, path, streams, got, errors):
    """An object and a line for each damaged file."""
    told = {each["stream"]: each for each in got if each["type"] == "damage"}
    checker.equal(words, "damaged", sorted(stream.name for stream in streams), sorted(told))
    for stream in streams:
        said = told.get(stream.name)
        if not said:
            continue
        checker.equal(words, "lost of " + stream.name, (len(stream.lost), False, path),
                      (said["lost"], said["estimated"], said["recording"]))
        line = [line for line in errors.splitlines() if "/%s: " % stream.name in line]
        checker.equal(words, "lines on " + stream.name, 1, len(line))
        count = re.search(r"\b(\d+) records? (?:is|are) lost between", line[0]) if line else None
        checker.equal(words, "said to be lost", len(stream.lost), int(count[1]) if count else 0)
        if stream.at is not None and stream.lost and os.path.isfile(stream.path):
            checker.equal(words, "place in " + stream.name, stream.at, said["at"])


class Locked:
    """A running recorder, as others see it: it holds a lock on the metadata."""

    def __init__(self, folder):
        self.fd = os.open(os.path.join(folder, "metadata"), os.O_RDWR)
        lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        fcntl.fcntl(self.fd, fcntl.F_OFD_SETLK, lock)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        os.close(self.fd)


def check_unfinished(checker, seed):
    """
    The recorder wrote up to some time on all CPUs, more on some, and perhaps a part of a packet. As
    long as it runs, everything up to this time is shown, and nothing is lost; if it was
    cut off, everything is shown.
    """
    rng = random.Random("unfinished %d" % seed)
    made = machine.Machine(rng, cpus=rng.choice([1, 2, 4]))
    made.begin()
    made.run(rng.choice([40, 120]))
    synced = rng.randrange(made.began, made.now)
    for cpu, records in enumerate(made.records):
        whole = sum(record["ts"] < synced for record in records)
        del records[rng.randrange(whole, len(records) + 1):]
    del made.snapshot[rng.randrange(
        sum(record["ts"] < synced for record in made.snapshot), len(made.snapshot) + 1):]
    path, read = checks.make(checker, "unfinished", made, complete=0, ended=0, reason=b"",
                             synced=synced)
    for cpu in range(made.cpus):
        if rng.random() < .4:  # of a packet, or of records that its header does not count yet
            with open(os.path.join(path, "cpu_%d" % cpu), "ab") as file:
                file.write(rng.choice([b"\0" * 100, b"\xc1\x1f\xfc\xc1" + b"x" * 90, b"\0" * 4096]))
    for running in (True, False):
        if running:
            with Locked(path):
                check_unfinished_views(checker, path, read, True, rng)
        else:
            check_unfinished_views(checker, path, read, False, rng)


def check_unfinished_views(checker, path, read, running, rng):
    synced, status = read.env["synced"], 0 if running else 3
    read.running = running
    duration = rng.randrange(1, 2 * (synced - read.env["began"]) + 2)
    for options in (session.Options(), session.Options(threads=True), session.Options(count=2),
                    session.Options(duration=duration)):
        seen = session.Session(read, options)
        # Lives that end before the recorder's position are complete. After that, records
        # are missing, which the model's lives do not know.
        whole = seen.reason != "cut" and seen.ended < synced
        if running or whole:
            checks.check_views(checker, path, read, options, 0 if whole else status)
        else:
            for view in VIEWS if not list(options.words()) else VIEWS[:2]:
                words = ["-i", path, *options.words(), *view]
                checker.equal(words, "status", 3, checker.call(*words)[0])
    if running:
        checks.check_events(checker, path, read, session.Options(events=True))
    else:  # all records; results are known only for the time before
        words = ["-i", path, "--events"]
        got = [json.loads(line) for line in checker.call(*words, "--json")[1].splitlines()]
        checker.equal(words, "records", [
            (event["ts"], event["cpu"], event["type"], event["pid"]) for event in read.events
            if event["type"] not in ("args", *views.ABOUT_NOBODY)], [
            (each["ts"], each["cpu"], each["type"], each["tid"]) for each in got[1:-1]
            if each["type"] not in ("args", *views.ABOUT_NOBODY)])
    said = "still running" if running else "cut off"
    for option, when in (("--monotonic", values.seconds(synced)),
                         ("--utc", values.daytime(synced, read.env["to_realtime"]))):
        words = ["-i", path, "--latency", option]
        errors = checker.call(*words)[2]
        checker.equal(words, "said to be " + said, True, said in errors and when in errors)
    words = ["-i", path, "--expect", "lost==0"]
    checker.equal(words, "status", status, checker.call(*words)[0])
