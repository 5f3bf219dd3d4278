# SPDX-License-Identifier: GPL-2.0-only
"""
A recording, by CTF 1.8 and by what its own metadata says: the env block, the packets' header and the
events. Reads any; writes one with the metadata of another as a template.
"""
import os
import re
import struct

import abi

CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "s32": "i", "x32": "I", "x64": "Q", "ts": "Q"}
MAGIC = 0xC1FC1FC1
SNAPSHOT = 2 ** 32 - 1
PACKET_ALIGN = 4096

# The metadata's names that differ from abi.h: `tid` is the task, and `pid` its process.
RENAMED = {
    "*": {"tid": "pid", "pid": "tgid", "ns_tid": "ns_pid", "parent_pid": "parent_tgid",
          "wait_status": "exit_code"},
    "fork": {"child_tid": "pid", "child_pid": "tgid", "child_comm": "comm", "child_group": "group",
             "parent_tid": "parent_pid", "parent_pid": "parent_tgid", "creator_tid": "creator_pid",
             "creator_pid": "creator_tgid", "child_ns_tid": "ns_pid", "child_ns_inum": "ns_inum"},
    "exec": {"old_tid": "old_pid", "filename_length": "path_len", "filename": "path"},
    "args": {"length": "len", "args": "text"},
    "rename": {"oldcomm": "comm", "newcomm": "name"},
    "reap": {"reaper_tid": "reaper_pid", "reaper_pid": "reaper_tgid"},
    "free": {"runner_tid": "runner_pid"},
    "exiting": {"tracer_pid": "tracer_tgid"},
    "coredump": {"sig": "signo"},
    "fail": {"filename_length": "path_len", "filename": "path"},
    "times": {"waiting": "delay"},
    "oom": {"allocator_tid": "allocator_pid", "allocator_pid": "allocator_tgid"},
    "notify": {"receiver_tid": "receiver_pid", "receiver_pid": "receiver_tgid", "sig": "signo"},
    "wait": {"waiter_tid": "pid", "waiter_pid": "tgid", "tid": "wanted"},
    "signal": {"sender_tid": "sender_pid", "sender_pid": "sender_tgid", "sig": "signo",
               "group": "to_group"},
}


def abi_name(kind, name):
    return RENAMED.get(kind, {}).get(name) or RENAMED["*"].get(name, name)


def fields(text):
    """The members of a struct of TSDL, as a layout."""
    found = []
    for kind, name, count in re.findall(r"(\w+) (\w+)(?:\[(\d+)\])?;", text):
        if kind == "text" or (kind == "u8" and count):
            found.append((name, count + "s"))
        elif count:
            found.append((name, "%ds" % (8 * int(count))))
        else:
            found.append((name, CODES[kind]))
    return abi.Layout(found)


def literal(text):
    """A value of the env block: a number, a mask or a text."""
    if not text.startswith('"'):
        return int(text)
    data = re.sub(rb"\\([0-7]{3})", lambda octal: bytes([int(octal[1], 8)]), text[1:-1].encode())
    return int(data, 16) if data.startswith(b"0x") else data


class Metadata:
    def __init__(self, text):
        self.text = text
        block = lambda begin: re.search(re.escape(begin) + r"(.*?)\n\t?\}", text, flags=re.S)[1]
        self.uuid = bytes.fromhex(re.search(r'uuid = "([-0-9a-f]+)"', text)[1].replace("-", ""))
        self.env = {name: literal(value) for name, value in
                    re.findall(r"\t(\w+) = (.*);", block("\nenv {"))}
        self.env["synced"] = int(self.env["synced"])
        self.packet = fields(block("packet.header := struct {") +
                             block("packet.context := struct {"))
        before = block("event.header := struct {") + block("event.context := struct {")
        self.events = {}
        for name, number, members in re.findall(
                r'event \{\s*name = "(\w+)";\s*id = (\d+);.*?struct \{(.*?)\}', text, flags=re.S):
            self.events[int(number)] = name, fields(before + members)
        offset = re.search(r"offset_s = (\d+);\s*offset = (\d+);", text)
        self.to_realtime = int(offset[1]) * 10 ** 9 + int(offset[2])

    def with_env(self, uuid, **values):
        """This metadata's text, with another uuid and other values of the env block."""
        text = self.text
        for name, value in values.items():
            old = re.search(r"\n\t%s = (.*);" % name, text)[1]
            if name == "synced":
                value = '"%020d"' % value
            elif old.startswith('"0x'):
                value = '"0x%x"' % value
            elif old.startswith('"'):
                value = '"%s"' % "".join(
                    chr(c) if 32 <= c <= 126 and c not in b'"\\' else "\\%03o" % c for c in value)
            text = re.sub(r"(\n\t%s = ).*;" % name, lambda m: "%s%s;" % (m[1], value), text)
        offset = values.get("to_realtime", self.to_realtime)
        text = re.sub(r"offset_s = .*;", "offset_s = %d;" % (offset // 10 ** 9), text)
        text = re.sub(r"offset = .*;", "offset = %d;" % (offset % 10 ** 9), text)
        name = "-".join(uuid.hex()[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))
        return re.sub(r'uuid = ".*"', 'uuid = "%s"' % name, text)


class Recording:
    """events: records and gaps in order, a gap as a dictionary whose type is "lost"."""

    def __init__(self, folder):
        with open(os.path.join(folder, "metadata"), encoding="ascii") as file:
            self.metadata = Metadata(file.read())
        self.env = self.metadata.env
        self.cgroups = {}
        self.running = False  # its recorder is running: set by the code that makes it run
        found = []
        for name in sorted(os.listdir(folder)):
            if name == "snapshot" or name.startswith("cpu_"):
                found += self.read_stream(os.path.join(folder, name))
        # By time, then CPU, then position; a loss lies after its `from`.
        self.events = [event for key, event in sorted(found, key=lambda each: each[0])]
        self.last = max((event["ts"] for event in self.events if "ts" in event), default=0)
        self.lost = sum(event["lost"] for event in self.events if event["type"] == "lost")
        path = os.path.join(folder, ".cgroups")
        if os.path.exists(path):
            with open(path, "rb") as file:
                for line in file.read().splitlines():
                    number, text = line.split(b" ", 1)
                    self.cgroups[int(number)] = text

    def read_stream(self, path):
        with open(path, "rb") as file:
            data = file.read()
        at = position = 0
        while len(data) - at >= self.metadata.packet.bytes:
            packet = self.metadata.packet.unpack(data, at)
            if packet["magic"] != MAGIC and not self.env["complete"]:
                break  # its recorder had not written its header
            assert packet["magic"] == MAGIC and packet["uuid"] == self.metadata.uuid, path
            if at + packet["packet_size"] // 8 > len(data):
                break
            cpu = packet["cpu_id"]
            if packet["gap_to"] and not packet["gap_lost"]:
                yield (0, -1, cpu, position), {"type": "history", "cpu": cpu,
                                               "from": packet["gap_from"], "to": packet["gap_to"]}
            if packet["gap_lost"]:
                gap = {"type": "lost", "cpu": cpu, "lost": packet["gap_lost"],
                       "from": packet["gap_from"], "to": packet["gap_to"]}
                yield (packet["gap_from"], -1, cpu, position), gap
            record = at + abi.RECORD_BYTES
            while record < at + packet["content_size"] // 8:
                values = abi.unpack(data, record)
                yield (values["ts"], cpu, position, 0), values
                record += abi.RECORD_BYTES
                position += 1
            at += packet["packet_size"] // 8

    def declared(self, event):
        """The CTF event of this record: the metadata's names, and the values."""
        number = abi.NUMBERS[event["type"]]
        name, layout = self.metadata.events[number]
        values = layout.unpack(abi.pack(event))
        return name, {abi_name(event["type"], key): value for key, value in values.items()}


def checksum(header):
    """The checksum of a packet's header, whose own checksum is 0: ctf.h has it in C."""
    value = 0xcbf29ce484222325
    for word in struct.unpack("<16Q", header):
        value = (value ^ word) * 0x100000001b3 % 2 ** 64
    return value


def packets(metadata, uuid, cpu, parts, most=60):
    """parts: (gap or None, records) of one stream, each in its own packets."""
    out, lost, number, before = b"", 0, 0, 0
    for gap, records in parts:
        chunks = [records[i:i + most] for i in range(0, len(records), most)] or [[]]
        for chunk in chunks:
            gap_here = gap or {"lost": 0, "from": 0, "to": 0}
            gap = None
            lost += gap_here["lost"]
            content = metadata.packet.bytes
            if chunk:
                layout = metadata.events[abi.NUMBERS[chunk[-1]["type"]]][1]
                content = len(chunk) * abi.RECORD_BYTES + layout.bytes
            size = -(-abi.RECORD_BYTES * (1 + len(chunk)) // PACKET_ALIGN) * PACKET_ALIGN
            times = [record["ts"] for record in chunk] or [gap_here["from"], gap_here["to"]]
            values = {
                "magic": MAGIC, "uuid": uuid, "timestamp_begin": times[0],
                "timestamp_end": times[-1], "content_size": content * 8, "packet_size": size * 8,
                "events_discarded": lost, "packet_seq_num": number, "gap_lost": gap_here["lost"],
                "gap_from": gap_here["from"], "gap_to": gap_here["to"], "cpu_id": cpu,
                "first_record": before}
            header = metadata.packet.pack(values).ljust(abi.RECORD_BYTES, b"\0")
            header = metadata.packet.pack(dict(values, checksum=checksum(header)))
            body = header.ljust(abi.RECORD_BYTES, b"\0") + b"".join(map(abi.pack, chunk))
            out += body.ljust(size, b"\0")
            number += 1
            before += len(chunk)
    return out


def total(cpu, parts, size):
    """The line of the metadata with the totals of a stream."""
    times = [0] + [record["ts"] for gap, records in parts for record in records]
    times += [gap["from"] for gap, records in parts if gap]
    return '\ttotal_%s = "%d %d %d %d %d";\n' % (
        "snapshot" if cpu == SNAPSHOT else "cpu_%d" % cpu, min(times), max(times),
        sum(len(records) for gap, records in parts),
        sum(gap["lost"] for gap, records in parts if gap), size)


def write(folder, metadata, uuid, env, streams, cgroups=None, most=60):
    """streams: the parts of each CPU. The totals are added to the env block."""
    os.mkdir(folder)
    sizes = {}
    for cpu, parts in streams.items():
        data = packets(metadata, uuid, cpu, parts, most)
        sizes[cpu] = len(data)
        with open(os.path.join(folder, "snapshot" if cpu == SNAPSHOT else "cpu_%d" % cpu), "wb") as file:
            file.write(data)
    parts = [part for parts in streams.values() for part in parts]
    totals = ""
    if env.get("complete", metadata.env["complete"]):
        env = dict({"records": sum(len(records) for gap, records in parts),
                    "lost": sum(gap["lost"] for gap, records in parts if gap),
                    "streams": len(streams), "bytes": sum(sizes.values())}, **env)
        totals = "".join(total(cpu, streams[cpu], sizes[cpu]) for cpu in sorted(streams))
    else: # not known yet
        env = dict(env, records=0, lost=0, streams=0, bytes=0)
    text = re.sub(r"\ttotal_.*\n", "", metadata.with_env(uuid, **env))
    with open(os.path.join(folder, "metadata"), "w", encoding="ascii") as file:
        file.write(text.replace("\tsynced = ", totals + "\tsynced = "))
    if cgroups is not None:
        with open(os.path.join(folder, ".cgroups"), "wb") as file:
            file.write(b"".join(b"%d %s\n" % each for each in sorted(cgroups.items())))
