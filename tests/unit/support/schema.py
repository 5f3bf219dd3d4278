# SPDX-License-Identifier: GPL-2.0-only
"""Checks lines of proclife-read --json against their schema.

schema.py lines SCHEMA FILE...	Does every line of these files match the schema?
schema.py cover SCHEMA FILE...	Do they show all types and members of the schema, and does it
				refuse each of their types once a line of it is spoilt?
schema.py bad SCHEMA FILE...	Is there something wrong with each of these files?
schema.py page SCHEMA PAGE	Does the manual page name all of them?
"""
import copy
import json
import re
import sys

from jsonschema import Draft7Validator

complaints = 0


def complain(text):
    global complaints
    complaints += 1
    if complaints <= 20:
        print("schema.py:", text, file=sys.stderr)


def unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member occurs twice")
    return members


def no_number(text):
    raise ValueError(f"{text} is no JSON")


def read_lines(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        for number, text in enumerate(file, 1):
            place = f"{path}:{number}"
            if not text.endswith("\n"):
                complain(f"{place}: the line has no end")
            try:
                yield place, json.loads(text, object_pairs_hook=unique,
                                        parse_constant=no_number)
            except ValueError as error:
                complain(f"{place}: {error}: {text!r}")


def line_types(schema):
    """The definitions of lines, without those of values."""
    return [choice["$ref"].rsplit("/", 1)[1] for choice in schema["oneOf"]]


def name_of(schema, line):
    """The definition that a line claims to follow."""
    name = line.get("type") if isinstance(line, dict) else None
    if isinstance(name, str) and re.fullmatch("type[0-9]+", name):
        name = "unknown"
    return name if name in line_types(schema) else None


def validators_of(schema):
    """One for each type: far faster than all of them in turn, and as good, since no line can be of
    two types."""
    validators = {}
    for name in line_types(schema):
        definition = schema["definitions"][name]
        const = definition["properties"]["type"].get("const")
        if const != name and name != "unknown" or "type" not in definition["required"]:
            complain(f"{name}: its type is not {name}")
        validators[name] = Draft7Validator({**definition, "definitions": schema["definitions"]})
    return validators


def accepts(schema, validators, line):
    name = name_of(schema, line)
    return name is not None and validators[name].is_valid(line)


def why(schema, validators, line):
    """What is wrong with a line that was refused, by the definition that it claims to follow."""
    name = name_of(schema, line)
    if not name:
        return "there is no such type"
    return "; ".join(f"{'.'.join(map(str, error.path))}: {error.message}"
                     for error in validators[name].iter_errors(line))


def check_lines(schema, paths):
    validators = validators_of(schema)
    seen = {}
    for path in paths:
        count = 0
        for place, line in read_lines(path):
            count += 1
            if accepts(schema, validators, line):
                seen.setdefault(name_of(schema, line), []).append(line)
            else:
                complain(f"{place}: {why(schema, validators, line)}: {json.dumps(line)}")
        if not count:
            complain(f"{path}: no lines")
    return seen


# Members that any record can have: one record that has them is enough.
COMMON = {"comm_hex", "kthread", "worker", "truncated"}


def check_seen(schema, seen):
    common = set()
    for name in line_types(schema):
        lines = seen.get(name, [])
        members = set().union(*lines) if lines else set()
        common |= members & COMMON
        if not lines:
            complain(f"{name}: no line of this type")
            continue
        missing = set(schema["definitions"][name]["properties"]) - members
        if "start" in members and "task" in members:
            missing -= COMMON
        if name == "dying":
            missing -= {"cgroup_path_hex"}  # depends on the machine that runs the test
        for member in missing:
            complain(f"{name}: no line has the member {member}")
    for member in COMMON - common:
        complain(f"no line has the member {member}")
    killers = [line["killer"] for line in seen.get("process", []) if line["killer"]]
    for member in schema["definitions"]["killer"]["properties"]:
        if not any(member in killer for killer in killers):
            complain(f"killer: nobody has the member {member}")


def spoilt(line, required):
    """Variants of a line, each with one thing wrong."""
    def variant(**members):
        return {**copy.deepcopy(line), **members}

    yield "another version", variant(v=2)
    yield "an unknown type", variant(type="nonsense")
    yield "an unknown member", variant(surprise=1)
    for member, value in line.items():
        yield f"{member} of another kind", variant(**{member: [[]]})
        if isinstance(value, int) and not isinstance(value, bool):
            yield f"{member} out of range", variant(**{member: -2**40})
            yield f"{member} too large", variant(**{member: 2**64})
            yield f"{member} as text", variant(**{member: str(value)})
        if member in required:
            without = copy.deepcopy(line)
            del without[member]
            yield f"no {member}", without


def check_spoilt(schema, seen):
    whole = Draft7Validator(schema)
    validators = validators_of(schema)
    for name, lines in seen.items():
        required = schema["definitions"][name]["required"]
        longest = max(lines, key=len)
        if not whole.is_valid(longest):
            complain(f"{name}: good for the definition, not for the schema")
        for what, line in spoilt(longest, required):
            if accepts(schema, validators, line):
                complain(f"{name} with {what} is accepted: {json.dumps(line)}")
        if whole.is_valid({**longest, "surprise": 1}):
            complain(f"{name} with an unknown member is accepted")
    for nothing in [], {}, "trace", None, 1:
        if whole.is_valid(nothing):
            complain(f"{nothing!r} is accepted")


def check_bad(schema, paths):
    global complaints
    for path in paths:
        complaints = 0
        check_lines(schema, [path])
        if not complaints:
            sys.exit(f"schema.py: {path}: nothing is wrong with this")
    complaints = 0


def check_page(schema, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    section = re.search(r"^\.Sh DESCRIPTION$(.*?)^\.Sh SEE ALSO", text, re.MULTILINE | re.DOTALL)
    words = set(re.findall(r"[\w.]*\w", section.group(1))) if section else set()
    for name, definition in schema["definitions"].items():
        if "properties" not in definition:
            continue
        if name not in words and name != "unknown":
            complain(f"{path}: the type {name} is not there")
        for member in definition["properties"]:
            if member not in words and not member.endswith("_hex"):
                complain(f"{path}: {member} of {name} is not there")


def main():
    mode, schema_path, *paths = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    Draft7Validator.check_schema(schema)
    if mode == "page":
        check_page(schema, *paths)
    elif mode == "bad":
        check_bad(schema, paths)
    else:
        seen = check_lines(schema, paths)
        if mode == "cover":
            check_seen(schema, seen)
            check_spoilt(schema, seen)
    sys.exit(1 if complaints else 0)


main()
