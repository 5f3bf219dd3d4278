# SPDX-License-Identifier: GPL-2.0-only
"""What proclife-read exports, read as others read it, against what it says of the same in JSON.

exports.py counts FORMAT EXPORT SUMMARY
	Are as many processes in it, and as many that failed, as --summary has?
exports.py FORMAT PAGE [EXPORT LIVES TREE SUMMARY]...
	FORMAT is csv or folded. PAGE is the manual page of the formats. The other files are of one recording
	each: its export, and the JSON of --lives --sort time, of --tree and of --summary.
"""
import csv
import datetime
import json
import re
import sys

complaints = 0


def complain(text):
    global complaints
    complaints += 1
    if complaints <= 20:
        print("exports.py:", text, file=sys.stderr)


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Summary:
    """What --summary says."""

    def __init__(self, summary):
        programs = [line for line in read_json(summary) if line["type"] == "program"]
        self.runs = sum(program["runs"] for program in programs)
        self.failed = sum(program["failed"] for program in programs)
        self.open = sum(program["open"] for program in programs)
        self.runtime = sum(program["runtime"] for program in programs)


class Recording(Summary):
    """What the program itself says of all of it."""

    def __init__(self, lives, tree, summary):
        super().__init__(summary)
        lines = read_json(lives)
        self.lives = {line["id"]: line for line in lines if line["type"] == "life"}
        self.header = next(line for line in lines if line["type"] == "trace")
        self.tree = {line["id"]: line for line in read_json(tree) if line["type"] == "process"}
        self.realtime = self.header["to_realtime"]


def bytes_of(line, name):
    """A text of the JSON, as the bytes that it stands for."""
    if line[name] is None:
        return None
    if name + "_hex" in line:
        return bytes.fromhex(line[name + "_hex"])
    return line[name].encode()


def unescape(text):
    """The bytes that an escaped text stands for."""
    letters = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r",
               b"\\": b"\\"}

    def one(match):
        return bytes.fromhex(match[2].decode()) if match[2] else letters[match[1]]

    return re.sub(rb"\\([abtnvfr\\])|\\x([0-9a-f]{2})", one, text.encode())


def as_json_has_it(data):
    """Each byte that is no UTF-8 as U+FFFD."""
    text = data.decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", "\ufffd", text)


def check_plain(place, text, allowed=""):
    """Nothing of it is invisible, or changes what stands beside it."""
    for char in text:
        if (ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
                "\u2028\u2029\u2066\u2067\u2068\u2069\ufeff") and char not in allowed:
            complain(f"{place}: {char!r} is as it is")


def page_names(page, section):
    """The names that a section of the manual page lists."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    part = re.search(rf"\n\.Sh {section}\n(.*?)(?=\n\.Sh )", text, re.S)[1]
    names = []
    for line in re.findall(r"\n\.It Va (.*)", part):
        names += [name.replace("\\-", "-") for name in line.replace('"', "").split() if name != ","]
    return names


def check_counts(place, recording, runs, failed, open_=None):
    if (runs, failed) != (recording.runs, recording.failed):
        complain(f"{place}: {runs} runs, {failed} failed; --summary has {recording.runs}, {recording.failed}")
    if open_ is not None and open_ != recording.open:
        complain(f"{place}: {open_} did not end; --summary has {recording.open}")


def to_realtime(recording, ts):
    return ts + int(recording.realtime)


def moment(ns):
    second = datetime.datetime.fromtimestamp(ns // 10**9, datetime.timezone.utc)
    return second.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ns % 10**9:09d}Z"


#
# csv
#

FORMULAS = "=+-@"


def flatten(life, prefix=""):
    """The members of a life by the names that columns have."""
    flat = {}
    for name, value in life.items():
        if name in ("v", "type", "ts", "args", "args_cut") or name.endswith("_hex"):
            continue
        if isinstance(value, dict):
            flat.update(flatten(value, prefix + name + "_"))
        elif isinstance(value, str):
            flat[prefix + name] = bytes_of(life, name)
        else:
            flat[prefix + name] = value
    return flat


def cell_of(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def check_csv_row(place, row, life, tree):
    flat = flatten(life)
    for name in row:
        if name not in flat:
            continue
        value = flat[name]
        if isinstance(value, bytes):
            if unescape(row[name]) != value:
                complain(f"{place}: {name} is {row[name]!r}, not {value!r}")
        elif name not in ("runtime", "utime", "stime") and row[name] != cell_of(value) and not (name == "uid" and not row[name] and not value):
            complain(f"{place}: {name} is {row[name]!r}, not {value!r}")
    for name in ("runtime", "ns_pid", "ns_inum", "parent_id"):
        if tree[name] is not None and row[name] and int(row[name]) != tree[name]:
            complain(f"{place}: {name} is {row[name]}, not {tree[name]}")
    if int(row["utime"]) + int(row["stime"]) != int(row["runtime"]):
        complain(f"{place}: the runtime is not utime and stime")
    if "args" in life:
        args = [as_json_has_it(unescape(arg)) for arg in row["args"].split(" ")]
        if args != life["args"]:
            complain(f"{place}: args are {row['args']!r}, not {life['args']!r}")
    if row["args_cut"] != cell_of(life.get("args_cut")) or ("args" not in life and row["args"]):
        complain(f"{place}: args_cut is {row['args_cut']!r}")


def missing_columns(names, lives):
    """Whatever a life has in JSON has a column."""
    for life in lives:
        for name, value in flatten(life).items():
            # An object that is null has no members.
            if name not in names and (value is not None or not any(n.startswith(name + "_") for n in names)):
                complain(f"there is no column for {name}")
        if not {"args", "args_cut"} <= set(names):
            complain("there is no column for the arguments")


def check_csv_text(place, text):
    """Of each cell of text: whatever splits it, it begins no formula."""
    for name in ("comm", "parent_comm", "path", "args", "cgroup_path", "user", "killer_comm", "reaper_comm",
                 "memory_last_comm", "memory_by_comm", "memory_early_by_comm"):
        check_plain(f"{place}: {name}", text[name])
        for part in text[name].split(";"):
            if part[:1] and part[0] in FORMULAS:
                complain(f"{place}: {name} is a formula: {text[name]!r}")


def check_csv_times(place, row, recording):
    if not recording.realtime:
        wanted = ("", "")
    else:
        born = int(row["born"] or int(row["start"]) - recording.header["to_boottime"] or row["seen"])
        end = row["exited"] or row["reaped"] if row["ended"] == "true" else ""
        wanted = moment(to_realtime(recording, born)), end and moment(to_realtime(recording, int(end)))
    if (row["begin_time"], row["end_time"]) != wanted:
        complain(f"{place}: {row['begin_time']} to {row['end_time']}, not {wanted}")


def count_csv(path, summary):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    ended = [row for row in rows if row["ended"] == "true"]
    check_counts(path, summary, len(ended), sum(row["failed"] == "true" for row in rows), len(rows) - len(ended))
    if sum(int(row["runtime"]) for row in ended) != summary.runtime:
        complain(f"{path}: the sum of runtime is not that of --summary")


def check_csv(page, recordings):
    filled = set()
    for path, recording in recordings:
        with open(path, "rb") as file:
            raw = file.read()
        if raw.count(b"\n") != raw.count(b"\r\n") or raw.count(b"\r") != raw.count(b"\r\n"):
            complain(f"{path}: a line does not end with CR LF")
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            rows = list(reader)
        names = reader.fieldnames
        if page_names(page, "CSV") != names:
            complain(f"the columns are {names}, those of the page {page_names(page, 'CSV')}")
        if len(set(names)) != len(names):
            complain(f"{path}: a column occurs twice")
        missing_columns(names, recording.lives.values())
        by_id = {}
        for row in rows:
            place = f"{path}: {row['id']}"
            if None in row or None in row.values():
                complain(f"{place}: it has not as many cells as there are columns")
                continue
            by_id[int(row["id"])] = row
            filled |= {name for name in names if row[name]}
            check_csv_text(place, row)
            check_csv_times(place, row, recording)
        if len(by_id) != len(rows) or not by_id.keys() >= recording.lives.keys() | recording.tree.keys():
            complain(f"{path}: not one row for each process")
        for number, life in recording.lives.items():
            check_csv_row(f"{path}: {number}", by_id[number], life, recording.tree[number])
        count_csv(path, recording)
    if set(names) - filled:
        complain(f"no recording has these: {sorted(set(names) - filled)}")


#
# folded
#

def read_folded(path):
    """The stacks, as flamegraph.pl splits their lines."""
    stacks = {}
    with open(path, encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            place = f"{path}:{number}"
            match = re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)\n", line)
            if not match:
                complain(f"{place}: no stack and number: {line!r}")
                continue
            check_plain(place, match[1])
            # There it would look for the second value of a difference.
            if re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", match[1]) or " " in match[1]:
                complain(f"{place}: it has a second value: {line!r}")
            stack = tuple(b"" if name == '""' else unescape(name) for name in match[1].split(";"))
            if stack in stacks or "" in match[1].split(";"):
                complain(f"{place}: {line!r} occurs twice, or has an empty name")
            stacks[stack] = int(match[2])
            if not stacks[stack]:
                complain(f"{place}: it counts nothing")
    return stacks


def stack_of(tree, process):
    stack = []
    while process:
        stack.insert(0, bytes_of(process, "comm"))
        process = tree.get(process["parent_id"])
    return tuple(stack)


def count_folded(path, summary):
    total = sum(read_folded(path).values())
    if total != summary.runtime // 1000:
        complain(f"{path}: {total} us, not {summary.runtime} ns")


def check_folded(_page, recordings):
    for path, recording in recordings:
        wanted = {}
        for process in recording.tree.values():
            stack = stack_of(recording.tree, process)
            ended = process["wait_status"] is not None
            wanted[stack] = wanted.get(stack, 0) + (process["runtime"] if ended else 0)
        stacks = read_folded(path)
        for stack in wanted.keys() | stacks.keys():
            if abs(stacks.get(stack, 0) * 1000 - wanted.get(stack, 0)) >= 1000:
                complain(f"{path}: {stack} has {stacks.get(stack)} us, not {wanted.get(stack)} ns")
        count_folded(path, recording)


CHECKS = {"csv": check_csv, "folded": check_folded}
COUNTS = {"csv": count_csv, "folded": count_folded}


def main(form, page, *files):
    if form == "counts":
        COUNTS[page](files[0], Summary(files[1]))
        return bool(complaints)
    recordings = [(files[i], Recording(*files[i + 1:i + 4])) for i in range(0, len(files), 4)]
    CHECKS[form](page, recordings)
    return bool(complaints)


sys.exit(main(*sys.argv[1:]))
