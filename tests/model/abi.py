# SPDX-License-Identifier: GPL-2.0-only
"""include/proclife/abi.h: its constants and the layouts of its structs."""
import os
import re
import struct

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SIZES = {"__u64": "Q", "__u32": "I", "__u16": "H", "__s32": "i"}


def read_text():
    with open(os.path.join(SOURCE, "include/proclife/abi.h"), encoding="ascii") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def read_constants(text):
    found = {}
    for name, value in re.findall(r"#define PROCLIFE_(\w+) (.+)", text) + \
            re.findall(r"^\tPROCLIFE_(\w+) = (\w+)", text, flags=re.M):
        value = re.sub(r"\b(0x[0-9a-f]+|\d+)U?L*\b", r"\1", value, flags=re.I).strip()
        if re.fullmatch(r"[()0-9a-fx< ]+", value):
            found[name] = eval(value)  # numbers and shifts alone
    return found


class Layout:
    """A struct: unpack(bytes) gives a dictionary, pack(dictionary) bytes; missing members are 0."""

    def __init__(self, fields):
        self.names = [name for name, code in fields]
        self.struct = struct.Struct("<" + "".join(code for name, code in fields))
        self.bytes = self.struct.size
        self.empty = {name: b"" if code.endswith("s") else 0 for name, code in fields}

    def unpack(self, data, at=0):
        found = dict(zip(self.names, self.struct.unpack_from(data, at)))
        return {name: value for name, value in found.items() if not name.startswith("reserved")}

    def pack(self, values):
        return self.struct.pack(*(values.get(name, self.empty[name]) for name in self.names))


def read_layouts(text):
    layouts = {}
    for name, body in re.findall(r"^struct proclife_(\w+) \{(.*?)^\};", text, flags=re.S | re.M):
        fields = []
        body = re.sub(r"union \{.*?\};", "", body, flags=re.S)
        for kind, names in re.findall(r"(\w+) ([^;]+);", body):
            for member in re.split(r",\s*", names):
                member, count = re.fullmatch(r"(\w+)(?:\[(\w+)\])?", member).groups()
                count = CONSTANTS.get(str(count).replace("PROCLIFE_", ""), count)
                if kind == "char":
                    fields.append((member, "%ds" % int(count)))
                elif count:
                    fields.append((member, "%ds" % (int(count) * struct.calcsize(SIZES[kind]))))
                else:
                    fields.append((member, SIZES[kind]))
        layouts[name] = Layout(fields)
    return layouts


TEXT = read_text()
CONSTANTS = read_constants(TEXT)
LAYOUTS = read_layouts(TEXT)
HEAD = LAYOUTS["record"]
RECORD_BYTES = 128
TYPES = {CONSTANTS[name]: name.lower() for name in re.findall(r"^\tPROCLIFE_(\w+) = \d+", TEXT, flags=re.M)}
NUMBERS = {name: number for number, name in TYPES.items()}
FLAGS = {name[2:].lower(): value for name, value in CONSTANTS.items() if name.startswith("F_")}


def payload(kind):
    return LAYOUTS.get("state" if kind == "task" else kind)


def pack(record):
    """A record's 128 bytes; its members are the head's and those of its payload."""
    flags = sum(FLAGS[name] for name in record["flags"])
    head = dict(record, type=NUMBERS[record["type"]], flags=flags, task=record["handle"])
    layout = payload(record["type"])
    body = layout.pack(record) if layout else b""
    return (HEAD.pack(head) + body).ljust(RECORD_BYTES, b"\0")


def unpack(data, at=0):
    record = HEAD.unpack(data, at)
    record["handle"] = record.pop("task")
    record["type"] = TYPES.get(record["type"], "type%d" % record["type"])
    record["flags"] = {name for name, value in FLAGS.items() if record["flags"] & value}
    layout = payload(record["type"])
    if layout:
        record.update(layout.unpack(data, at + HEAD.bytes))
    return {name: value.split(b"\0")[0] if "comm" in name or name == "name" else value
            for name, value in record.items()}
