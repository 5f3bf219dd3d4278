# SPDX-License-Identifier: GPL-2.0-only
"""Compares the fields of the records, as the library describes them, with all that repeats them.

fields.py FIELDS ABI SCHEMA PAGE	FIELDS are lines of test_fields.c: type, member, offset, size,
					name in JSON or "-", name in a recording
"""
import json
import re
import sys

SIZES = {"__u64": 8, "__u32": 4, "__s32": 4, "__u16": 2, "char": 1}
TYPES = {"task": "state", "none": "record"} # others have the name of their struct
HEAD_BYTES, RECORD_BYTES = 56, 128

complaints = 0


def complain(text):
    global complaints
    complaints += 1
    print("fields.py:", text, file=sys.stderr)


def read_fields(path):
    """For each type: (member, offset, size, name, ctf_name), in order."""
    found = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            kind, member, offset, size, name, ctf_name = line.split()
            found.setdefault(kind, [])
            if member != "-":
                found[kind].append((member, int(offset), int(size), name, ctf_name))
    return found


def read_abi(path):
    """The structs of abi.h, each with its members as (name, offset, size), and the types of records."""
    with open(path, encoding="ascii") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    lengths = dict(re.findall(r"(PROCLIFE_\w+)(?: =)? (\d+)\b", text))
    structs = {}
    for name, body in re.findall(r"^struct proclife_(\w+) \{(.*?)^\};", text, flags=re.S | re.M):
        members, at = [], 0
        for kind, names in re.findall(r"(\w+) ([^;]+);", re.sub(r"union \{.*?\};", "", body, flags=re.S)):
            for member, count in re.findall(r"(\w+)(?:\[(\w+)\])?(?:,|$)", names):
                if at % SIZES[kind]:
                    complain("%s.%s: padding before it" % (name, member))
                size = SIZES[kind] * int(lengths.get(count, count or 1))
                members.append((member, at, size))
                at += size
        structs[name] = members
    types = re.search(r"enum proclife_type \{(.*?)\};", text, flags=re.S)[1]
    return structs, [name.lower() for name in re.findall(r"PROCLIFE_(\w+) = ", types)]


def check_abi(kind, fields, structs):
    """All members that are not reserved; together they fill the record."""
    struct = TYPES.get(kind, kind)
    base = 0 if kind == "none" else HEAD_BYTES
    members = structs.get(struct, [])
    prefix = "" if kind == "none" else struct + "."
    abi = [(prefix + name, base + at, size) for name, at, size in members
           if not name.startswith("reserved")]
    said = [field[:3] for field in fields]
    for each in [each for each in abi if each not in said]:
        complain("%s: %s of abi.h (offset %d, %d bytes) is not described" % ((kind,) + each))
    for each in [each for each in said if each not in abi]:
        complain("%s: %s (offset %d, %d bytes) is not so in abi.h" % ((kind,) + each))
    if members:
        end = base + members[-1][1] + members[-1][2]
        if end != (HEAD_BYTES if kind == "none" else RECORD_BYTES):
            complain("%s: ends at byte %d" % (kind, end))
    # A recording declares them one after the other, without holes.
    for before, after in zip(said, said[1:]):
        if before[1] + before[2] != after[1]:
            complain("%s: a hole between %s and %s" % (kind, before[0], after[0]))
    if kind != "none" and said and said[0][1] != HEAD_BYTES:
        complain("%s: a hole before %s" % (kind, said[0][0]))


def check_schema(kind, fields, schema):
    known = schema["definitions"].get(kind, {"properties": {}})["properties"]
    for member, _, _, name, _ in fields:
        if name != "-" and name not in known:
            complain("%s: %s, of %s, is not in the schema" % (kind, name, member))


def read_page(path):
    """The members in each section of proclife(4) on a type, and in the section on the head."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = {}
    for title, body in re.findall(r"^\.Ss (The head|PROCLIFE_\w+)$(.*?)(?=^\.S[sh] )", text,
                                  flags=re.S | re.M):
        kind = "none" if title == "The head" else title[len("PROCLIFE_"):].lower()
        items = re.findall(r"^\.It Va (.*)$", body, flags=re.M)
        found[kind] = {name for item in items for name in item.replace(",", " ").split()}
    return found


def check_page(kind, fields, page):
    members = {field[0].split(".")[-1] for field in fields}
    if members != page.get(kind, set()):
        complain("proclife(4) has of %s %s, and lacks %s" %
                 (kind, sorted(page.get(kind, set()) - members) or "all that there is",
                  sorted(members - page.get(kind, set())) or "nothing"))


def main():
    fields_path, abi_path, schema_path, page_path = sys.argv[1:]
    fields = read_fields(fields_path)
    structs, types = read_abi(abi_path)
    page = read_page(page_path)
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    types.remove("types")
    if set(fields) != set(types):
        complain("types: %s of abi.h, %s described" % (types, sorted(fields)))
    for kind, described in fields.items():
        check_abi(kind, described, structs)
        check_page(kind, described, page)
        names = [field[3] for field in described + fields["none"] if field[3] != "-"]
        if kind != "none":
            if len(set(names)) < len(names):
                complain("%s: a name occurs twice: %s" % (kind, names))
            head = [] if kind in ("suppressed", "cgroup") else fields["none"] # records without a task
            check_schema(kind, described + head, schema)
    sys.exit(1 if complaints else 0)


main()
