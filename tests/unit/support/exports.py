# SPDX-License-Identifier: GPL-2.0-only
"""Compares what proclife-read exports, read as other programs read it, with its JSON of the same.

exports.py counts FORMAT EXPORT SUMMARY
	Does it have as many processes, and as many that failed, as --summary?
exports.py losses LOSSES LIVES
	Do the log records agree with the losses in the last line of the JSON?
exports.py FORMAT PAGE [EXPORT LIVES TREE SUMMARY]...
	FORMAT is csv, folded, otlp, perfetto or processes (perfetto with a track for each). PAGE is the manual page of the formats. The other files are of one recording
	each: its export, and the JSON of --lives --sort time, of --tree and of --summary.
"""
import csv
import datetime
import json
import re
import struct
import subprocess
import sys
import uuid

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
    """The totals of --summary."""

    def __init__(self, summary):
        programs = [line for line in read_json(summary) if line["type"] == "program"]
        self.runs = sum(program["runs"] for program in programs)
        self.failed = sum(program["failed"] for program in programs)
        self.open = sum(program["open"] for program in programs)
        self.runtime = sum(program["runtime"] for program in programs)


class Recording(Summary):
    """What the program's JSON has of the recording."""

    def __init__(self, lives, tree, summary):
        super().__init__(summary)
        lines = read_json(lives)
        self.lives = {line["id"]: line for line in lines if line["type"] == "life"}
        self.header = next(line for line in lines if line["type"] == "trace")
        self.lost = next(line for line in lines if line["type"] == "end")["lost"]
        self.path = lives.replace(".lives.json", "")
        self.tree = {line["id"]: line for line in read_json(tree) if line["type"] == "process"}
        self.realtime = self.header["to_realtime"]
        for number, life in self.lives.items():
            if life["wait_status"] is None:  # the tree has it also if the exit was lost, but not the reap
                life.update({name: self.tree[number][name] for name in ("wait_status", "status", "signal")})


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
    """The text has nothing that is invisible, or that changes the text beside it."""
    for char in text:
        if (ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
                "\u2028\u2029\u2066\u2067\u2068\u2069\ufeff") and char not in allowed:
            complain(f"{place}: {char!r} is as it is")


def page_section(page, section):
    with open(page, encoding="utf-8") as file:
        return re.search(rf"\n\.Sh {section}\n(.*?)(?=\n\.Sh )", file.read(), re.S)[1]


def names_of(lines):
    return [name.replace("\\-", "-") for line in lines for name in line.replace('"', "").split() if name not in ",."]


def page_names(page, section):
    """The names that a section of the manual page lists."""
    return names_of(re.findall(r"\n\.It Va (.*)", page_section(page, section)))


def page_columns(page, section):
    """The columns of CSV that a section says its format has: all but for these."""
    but = re.search(r"\b[Bb]ut for\b.*\n((?:\.Va .*\n)+)", page_section(page, section))[1]
    but = set(names_of(line.removeprefix(".Va ") for line in but.splitlines()))
    columns = set(page_names(page, "CSV"))
    if but - columns:
        complain(f"the page leaves out of {section} what is no column: {but - columns}")
    return columns - but


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
        if name in ("v", "type", "ts", "args", "args_cut", "env", "env_whole") or name.endswith("_hex"):
            continue
        if isinstance(value, dict):
            flat.update(flatten(value, prefix + name + "_"))
        elif isinstance(value, str):
            flat[prefix + name] = bytes_of(life, name)
        else:
            flat[prefix + name] = value
    return flat


def parts_of_none(life, names):
    """The names of what has no value, since it is part of an object that a life does not have."""
    none = tuple(name + "_" for name, value in flatten(life).items() if value is None and name != "wait")
    return [name for name in names if name.startswith(none)]


def is_nobody(name, value):
    """Is it no process? In CSV that is 0; others leave it out."""
    return value == 0 and name.endswith(("pid", "tid"))


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
    for name in parts_of_none(life, row):
        if row[name]:
            complain(f"{place}: {name} is {row[name]!r} of nothing")
    for name in ("runtime", "ns_pid", "ns_inum", "parent_id"):
        if tree[name] is not None and row[name] and int(row[name]) != tree[name]:
            complain(f"{place}: {name} is {row[name]}, not {tree[name]}")
    if row["runtime"] and int(row["utime"]) + int(row["stime"]) != int(row["runtime"]):
        complain(f"{place}: the runtime is not utime and stime")
    for words, fact in (("args", "args_cut"), ("env", "env_whole")):
        if words in life:
            found = [as_json_has_it(unescape(word)) for word in row[words].split(" ")]
            if found != life[words]:
                complain(f"{place}: {words} is {row[words]!r}, not {life[words]!r}")
        if row[fact] != cell_of(life.get(fact)) or (words not in life and row[words]):
            complain(f"{place}: {fact} is {row[fact]!r}")


def check_csv_end(place, row):
    """Where it is not known whether or how it ended, it is neither one that failed nor one that did not."""
    over = row["state"] in ("zombie", "unfreed", "freed") or \
        any(row[name] for name in ("exited", "tracer_notified", "notified", "reaped", "end_time"))
    ended = "true" if over else "" if row["state"] == "unknown" else "false"
    if row["ended"] != ended or (row["failed"] == "") != (ended == "" or over and not row["wait_status"]):
        complain(f"{place}: ended is {row['ended']!r}, failed is {row['failed']!r}")


def missing_columns(names, lives):
    """Every member of a life in JSON has a column."""
    for life in lives:
        for name, value in flatten(life).items():
            # An object that is null has no members.
            if name not in names and (value is not None or not any(n.startswith(name + "_") for n in names)):
                complain(f"there is no column for {name}")
        if not {"args", "args_cut", "env", "env_whole"} <= set(names):
            complain("there is no column for the arguments, or the environment")


def check_csv_text(place, text):
    """No cell of text begins a formula, however it is split."""
    for name in ("comm", "parent_comm", "path", "args", "exe", "cwd", "env", "cgroup_path", "user", "failed_exec_path",
                 "killer_comm", "reaper_comm", "memory_last_comm", "memory_by_comm", "memory_early_by_comm"):
        check_plain(f"{place}: {name}", text[name])
        for part in text[name].split(";"):
            if part[:1] and part[0] in FORMULAS:
                complain(f"{place}: {name} is a formula: {text[name]!r}")


def check_csv_times(place, row, recording):
    if not recording.realtime:
        wanted = ("", "")
    else:
        born = int(row["born"] or int(row["start"]) - recording.header["to_boottime"] or row["seen"])
        ended = row["ended"] == "true" and row["wait_status"]
        zombie = row["tracer_notified"] or row["notified"]
        end = row["exited"] or ended and (zombie or row["reaped"]) or ""
        wanted = moment(to_realtime(recording, born)), end and moment(to_realtime(recording, int(end)))
        if ended and not (row["exited"] or zombie):  # the snapshot can have found it as a zombie, first or later
            wanted = wanted[0], min(row["end_time"], wanted[1])
    if (row["begin_time"], row["end_time"]) != wanted:
        complain(f"{place}: {row['begin_time']} to {row['end_time']}, not {wanted}")


def count_csv(path, summary):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    ended = [row for row in rows if row["end_time"]]
    check_counts(path, summary, len(ended), sum(row["failed"] == "true" for row in ended), len(rows) - len(ended))
    if sum(int(row["runtime"] or 0) for row in ended) != summary.runtime:
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
        # Some spreadsheets split cells at semicolons.
        for part in [part for row in csv.reader(raw.decode().splitlines(), delimiter=";") for part in row]:
            if part[:1] and part[0] in FORMULAS:
                complain(f"{path}: {part!r} is a formula")
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
            check_csv_end(place, row)
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
            # flamegraph.pl would take this for the second value of a difference.
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
            wanted[stack] = wanted.get(stack, 0) + (process["runtime"] or 0 if ended else 0)
        stacks = read_folded(path)
        for stack in wanted.keys() | stacks.keys():
            if abs(stacks.get(stack, 0) * 1000 - wanted.get(stack, 0)) >= 1000:
                complain(f"{path}: {stack} has {stacks.get(stack)} us, not {wanted.get(stack)} ns")
        count_folded(path, recording)


#
# otlp
#

def siphash13(key, data):
    """SipHash with one round per word and three at the end."""
    mask = 2**64 - 1
    low, high = struct.unpack("<QQ", key)
    v = [low ^ 0x736f6d6570736575, high ^ 0x646f72616e646f6d, low ^ 0x6c7967656e657261, high ^ 0x7465646279746573]

    def rotate(word, bits):
        return (word << bits | word >> (64 - bits)) & mask

    def rounds(count):
        for _ in range(count):
            v[0], v[2] = (v[0] + v[1]) & mask, (v[2] + v[3]) & mask
            v[1], v[3] = rotate(v[1], 13) ^ v[0], rotate(v[3], 16) ^ v[2]
            v[0] = rotate(v[0], 32)
            v[2], v[0] = (v[2] + v[1]) & mask, (v[0] + v[3]) & mask
            v[1], v[3] = rotate(v[1], 17) ^ v[2], rotate(v[3], 21) ^ v[0]
            v[2] = rotate(v[2], 32)

    whole = len(data) // 8 * 8
    words = list(struct.unpack(f"<{whole // 8}Q", data[:whole]))
    words.append(int.from_bytes(data[whole:], "little") | (len(data) & 255) << 56)
    for word in words:
        v[3] ^= word
        rounds(1)
        v[0] ^= word
    v[2] ^= 255
    rounds(3)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def boot_of(path):
    """The boot id that a recording's metadata has."""
    with open(path + "/metadata", encoding="latin-1") as file:
        match = re.search('boot_id = "(.*)"', file.read())
    return uuid.UUID(match[1]).bytes if match else bytes(16)


def attribute(place, value):
    """An AnyValue of OTLP, strictly."""
    if not isinstance(value, dict) or len(value) != 1:
        complain(f"{place}: no value: {value}")
        return None
    (kind, inner), = value.items()
    if kind == "intValue" and isinstance(inner, str) and re.fullmatch("-?[0-9]+", inner) and \
            -2**63 <= int(inner) < 2**63:
        return int(inner)
    if kind == "stringValue" and isinstance(inner, str) or kind == "boolValue" and inner is True:
        return inner
    if kind == "arrayValue" and inner.keys() == {"values"}:
        return [attribute(place, one) for one in inner["values"]]
    complain(f"{place}: no value: {value}")
    return None


def attributes(place, pairs):
    values = {}
    for pair in pairs:
        if pair.keys() != {"key", "value"} or pair["key"] in values:
            complain(f"{place}: no attribute, or twice: {pair}")
        values[pair["key"]] = attribute(f"{place}: {pair['key']}", pair["value"])
    return values


def unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        complain(f"a member occurs twice: {pairs}")
    return members


SIGNALS = {"spans": ("resourceSpans", "scopeSpans", "spans"), "logs": ("resourceLogs", "scopeLogs", "logRecords")}


def read_otlp(path, signal):
    """The records of a file, each with its attributes as a dictionary."""
    resources, scopes, records = SIGNALS[signal]
    with open(path, encoding="utf-8", newline="\n") as file:
        for number, text in enumerate(file, 1):
            place = f"{path}:{number}"
            line = json.loads(text, object_pairs_hook=unique)
            (resource,) = line.pop(resources)
            (scope,) = resource.pop(scopes)
            (record,) = scope.pop(records)
            if line or resource.keys() != {"resource"} or scope.keys() != {"scope"} or not text.endswith("\n"):
                complain(f"{place}: it has something else, too: {text}")
            about = attributes(place, resource["resource"]["attributes"])
            if about.get("service.name") != "proclife" or about.get("os.type") != "linux" or not about.get("host.name"):
                complain(f"{place}: resource {about}")
            if scope["scope"].keys() != {"name", "version"} or scope["scope"]["name"] != "proclife":
                complain(f"{place}: scope {scope}")
            record["attributes"] = attributes(place, record["attributes"])
            yield place, record


SPAN_MEMBERS = {"traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes"}


def check_span(place, span):
    """Checks what every receiver requires."""
    if not SPAN_MEMBERS <= span.keys() <= SPAN_MEMBERS | {"parentSpanId", "status"}:
        complain(f"{place}: members {span.keys()}")
    for name, digits in (("traceId", 32), ("spanId", 16), ("parentSpanId", 16)):
        if name in span and (not re.fullmatch(f"[0-9a-f]{{{digits}}}", span[name]) or not int(span[name], 16)):
            complain(f"{place}: {name} is {span[name]!r}")
    for name in ("startTimeUnixNano", "endTimeUnixNano"):
        if not re.fullmatch("[0-9]{18,19}", span[name]):
            complain(f"{place}: {name} is {span[name]!r}")
    if int(span["endTimeUnixNano"]) < int(span["startTimeUnixNano"]) or span["kind"] != 1:
        complain(f"{place}: ends before it starts, or its kind is {span['kind']}")
    if "status" in span and (span["status"].keys() != {"code", "message"} or span["status"]["code"] != 2):
        complain(f"{place}: status {span['status']}")


PHASES = {"life", "kill", "teardown", "held", "unmap", "traced", "zombie", "rcu_free", "exit_free",
          "fork", "first_run", "exec", "spawn", "wait"}
TIMES = {"begin_time", "end_time", "start", "born", "seen", "killed", "exited", "tracer_notified", "notified", "reaped",
         "freed", "memory_left", "memory_early", "memory_teardown", "memory_gone"}
RENAMED = {"pid": "process.pid", "parent_pid": "process.parent_pid", "path": "process.executable.path",
           "uid": "process.real_user.id", "user": "process.real_user.name", "status": "process.exit.code",
           "cgroup_path": "process.linux.cgroup", "args": "process.command_args",
           "cwd": "process.working_directory", "ns_pid": "process.vpid"}
USED = {"runtime", "utime", "stime"}  # up to the exit in JSON, up to the free in exports


def key_of(name):
    """The attribute of a column."""
    if name in RENAMED:
        return RENAMED[name]
    for prefix in ("memory_early_by_", "memory_last_", "memory_by_", "memory_", "killer_", "failed_exec_", "tracer_"):
        if name.startswith(prefix):
            return "proclife." + prefix[:-1].replace("memory_", "memory.") + "." + name[len(prefix):]
    return "proclife." + name


def members_of(life, prefix=""):
    flat = {}
    for name, value in life.items():
        if name.endswith("_hex"):
            continue
        if isinstance(value, dict):
            flat.update(members_of(value, prefix + name + "_"))
        else:
            flat[prefix + name] = value
    return flat


def check_span_attributes(place, span, recording, life, columns):
    said = span["attributes"]
    for name, value in members_of(life).items():
        key = key_of(name)
        if name in USED or name not in columns or name == "args_cut" and not value:
            continue
        if value is None or value is False or (not value and key not in said) or is_nobody(name, value):
            if key in said:
                complain(f"{place}: {key} is {said[key]!r}, not {value!r}")
            continue
        if name in TIMES:
            value = to_realtime(recording, value)
        elif name == "cgroup_path":
            value = "0::" + value
        if said.get(key) != value:
            complain(f"{place}: {key} is {said.get(key)!r}, not {value!r}")
    for name in parts_of_none(life, columns):
        if key_of(name) in said:
            complain(f"{place}: {name} is {said[key_of(name)]!r} of nothing")
    program = life["path"].rsplit("/", 1)[-1] if life["path"] else life["comm"]
    if said["process.executable.name"] != program:
        complain(f"{place}: process.executable.name is {said['process.executable.name']!r}, not {program!r}")
    failure = life["signal"] or (str(life["status"]) if life["status"] else None)
    if said.get("error.type") != failure or ("status" in span) != bool(failure):
        complain(f"{place}: error.type is {said.get('error.type')}, not {failure}")
    wanted = f"killed by {life['signal']}" if life["signal"] else f"exit status {life['status']}"
    if failure and span["status"]["message"] != wanted:
        complain(f"{place}: {span['status']}")
    if said.get("proclife.core_dumped", False) != bool(life["wait_status"] and life["wait_status"] & 0x80):
        complain(f"{place}: core_dumped")
    if span["name"] != life["comm"]:
        complain(f"{place}: name {span['name']!r}")


def check_place(place, span, by_id, tree, process, boot):
    """The parent of a span: its parent by birth, unless that is older than the trace."""
    parent = tree.get(process["parent_id"])
    if parent and parent["born"]:
        over = by_id.get(parent["id"])
        if "parentSpanId" not in span or over and (over["spanId"], over["traceId"]) != \
                (span["parentSpanId"], span["traceId"]):
            complain(f"{place}: it is not below {over}")
    elif "parentSpanId" in span or span["traceId"] != boot[:8].hex() + span["spanId"]:
        complain(f"{place}: it is not the root of a trace: {span}")


def count_otlp(path, summary):
    spans = [span for _, span in read_otlp(path, "spans")]
    check_counts(path, summary, len(spans), sum("status" in span for span in spans))
    if sum(span["attributes"].get("proclife.runtime", 0) for span in spans) != summary.runtime:
        complain(f"{path}: the sum of runtime is not that of --summary")


def check_otlp(page, recordings):
    keys, columns = set(), page_columns(page, "OTLP")
    for path, recording in recordings:
        boot = boot_of(recording.path)
        spans = dict(read_otlp(path, "spans"))
        by_id = {}
        numbers = {f"{siphash13(boot, struct.pack('<QI', life['start'], life['pid'])):016x}": life["id"]
                   for life in recording.lives.values()}
        for place, span in spans.items():
            check_span(place, span)
            keys |= span["attributes"].keys()
            number = numbers.get(span["spanId"])
            if number in by_id:
                complain(f"{place}: the same spanId as another one")
            if number:
                by_id[number] = span
        for number, span in by_id.items():
            place, life = f"{path}: {number}", recording.lives[number]
            check_span_attributes(place, span, recording, life, columns)
            check_place(place, span, by_id, recording.tree, recording.tree[number], boot)
            if recording.tree[number]["runtime"] != span["attributes"]["proclife.runtime"]:
                complain(f"{place}: runtime")
            wanted = str(to_realtime(recording, life["born"])) if life["born"] else span["startTimeUnixNano"]
            announced = life["tracer"]["notified"] if life["tracer"] else None
            end = str(to_realtime(recording, life["exited"] or announced or life["notified"] or life["reaped"]))
            if (span["startTimeUnixNano"], span["endTimeUnixNano"]) != (wanted, end):
                complain(f"{place}: its times are not {wanted}, {end}")
        if {number for number, life in recording.lives.items() if life["exited"]} - by_id.keys():
            complain(f"{path}: not all that have exited have spans")
        count_otlp(path, recording)
    names = set(page_names(page, "OTLP"))
    logs = {name for name in names if name.removeprefix("proclife.") in ("lost", "suppressed", "type", "cpu", "from", "to")}
    names = names - logs | {key_of(name) for name in columns}
    if names != keys:
        complain(f"the page and the spans differ in {sorted(names ^ keys)}")


def check_losses(path, lives):
    end = next(line for line in read_json(lives) if line["type"] == "end")
    lost, suppressed = 0, {}
    for place, record in read_otlp(path, "logs"):
        said = record["attributes"]
        if record.keys() != {"timeUnixNano", "observedTimeUnixNano", "severityNumber", "severityText", "eventName",
                             "body", "attributes"} or record["severityNumber"] != 13:
            complain(f"{place}: {record}")
        count = said.get("proclife.lost", said.get("proclife.suppressed"))
        if not count or not attribute(place, record["body"]).startswith(f"{count} ") or \
                not 0 < said["proclife.from"] <= said["proclife.to"] == int(record["timeUnixNano"]):
            complain(f"{place}: {record}")
        if record["eventName"] == "proclife.lost":
            lost += count
        else:
            suppressed[said["proclife.type"]] = suppressed.get(said["proclife.type"], 0) + count
    if lost != end["lost"] or suppressed != {name: n for name, n in end["suppressed"].items() if n}:
        complain(f"{path}: {lost} lost, {suppressed}, not {end}")


#
# perfetto
#

def unquote(text):
    """A text from protoc, where bytes above ASCII, quotes and the like are octal or have a backslash."""
    def one(match):
        return bytes([int(match[1], 8)]) if match[1] else {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(match[2], match[2])

    return re.sub(rb"\\(?:([0-7]{3})|(.))", one, text.encode()).decode()


def read_text(lines):
    """A message of protoc --decode: a list of values for each name."""
    message = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        match = re.fullmatch(r'([a-z_]+)(?: \{|: (?:"(.*)"|(\S+)))', line)
        if not match:  # a number instead of a name
            complain(f"perfetto.proto does not have {line}")
            continue
        name, text, plain = match.groups()
        if text is not None:
            value = unquote(text)
        elif plain is None:
            value = read_text(lines)
        else:
            value = int(plain) if re.fullmatch("-?[0-9]+", plain) else plain
        message.setdefault(name, []).append(value)
    return message


def decode(path):
    with open(path, "rb") as file:
        text = subprocess.run(["protoc", "--decode=Trace", "--proto_path=" + sys.path[0],
                               sys.path[0] + "/perfetto.proto"],
                              stdin=file, capture_output=True, check=True, encoding="ascii").stdout
    return read_text(iter(text.splitlines()))["packet"]


def annotations(event):
    notes = {}
    for note in event.get("debug_annotations", []):
        (name,) = note.pop("name")
        if "array_values" in note:
            value = [one["string_value"][0] for one in note["array_values"]]
        elif note:
            ((value,),) = note.values()
        else:
            value = []
        if name in notes:
            complain(f"{name} occurs twice")
        notes[name] = True if value == "true" else value
    return notes


class Slice:
    def __init__(self, event, begin):
        self.name = event["name"][0]
        self.categories = event["categories"]
        self.track = event["track_uuid"][0]
        self.begin, self.end = begin, None
        self.notes = annotations(event)
        self.flows = event.get("flow_ids", [])
        self.ended_flows = event.get("terminating_flow_ids", [])
        self.inner = []


def check_clocks(path, packet, recording):
    """The other clocks' times at the beginning of the trace."""
    began = recording.header["ts"]
    wanted = {3: began, 6: began + recording.header["to_boottime"], 1: began + int(recording.realtime)}
    clocks = {clock["clock_id"][0]: clock["timestamp"][0] for clock in packet["clock_snapshot"][0]["clocks"]}
    if clocks != wanted or packet["timestamp"] != [began]:
        complain(f"{path}: {clocks}, not {wanted}")


def check_above(path, tracks):
    """Perfetto shows nothing of a track that has no descriptor."""
    for uuid, track in tracks.items():
        above = 0
        while "parent_uuid" in track and above < 99:
            above += 1
            track = tracks.get(track["parent_uuid"][0], {})
        if above == 99 or track.get("name") != ["proclife"]:
            complain(f"{path}: {tracks[uuid]}: {above} tracks are above it, up to {track}")


def read_perfetto(path, recording=None):
    """Tracks, slices by their tracks, and counters, nested as Perfetto nests them."""
    tracks, events, counters = {}, [], []
    for number, packet in enumerate(decode(path)):
        if packet["trusted_packet_sequence_id"] != [0x6c696665]:
            complain(f"{path}: packet {number}: {packet}")
        if "track_descriptor" in packet:
            (track,) = packet["track_descriptor"]
            tracks.setdefault(track["uuid"][0], track)
            if track["sibling_merge_behavior"] != ["SIBLING_MERGE_BEHAVIOR_NONE"]:
                complain(f"{path}: {track}")
        elif "track_event" in packet:
            (event,) = packet["track_event"]
            if packet["timestamp_clock_id"] != [3] or event["track_uuid"][0] not in tracks:
                complain(f"{path}: packet {number}: {packet}")
            events.append((packet["timestamp"][0], number, event))
        elif packet["clock_snapshot"][0]["primary_trace_clock"] != [3] or number:
            complain(f"{path}: packet {number}: {packet}")
        elif recording:
            check_clocks(path, packet, recording)
    check_above(path, tracks)
    slices, open_slices, instants = {}, {}, []
    for ts, _, event in sorted(events, key=lambda event: event[:2]):
        (kind,), (uuid,) = event["type"], event["track_uuid"]
        stack = open_slices.setdefault(uuid, [])
        if kind == "TYPE_COUNTER":
            counters.append(event["counter_value"][0])
        elif kind == "TYPE_INSTANT":
            instants.append(Slice(event, ts))
        elif kind == "TYPE_SLICE_BEGIN":
            begun = Slice(event, ts)
            (stack[-1].inner if stack else slices.setdefault(uuid, [])).append(begun)
            stack.append(begun)
        elif not stack:
            complain(f"{path}: {ts}: the end of nothing")
        else:
            stack.pop().end = ts
    return tracks, slices, instants, counters


def all_slices(slices):
    return [one for track in slices.values() for one in track]


def lives_of(slices):
    return [one for one in all_slices(slices) if "process" in one.categories]


def check_notes(place, notes, life, columns):
    for name, value in members_of(life).items():
        noted = notes.get(name)
        if isinstance(noted, list):
            noted = [as_json_has_it(unescape(word)) for word in noted]
        elif isinstance(noted, str):
            check_plain(f"{place}: {name}", noted)
            noted = as_json_has_it(unescape(noted))
        if name in columns - USED and noted != value and (noted or value) or is_nobody(name, noted):
            complain(f"{place}: {name} is {noted!r}, not {value!r}")
    for name in parts_of_none(life, notes):
        complain(f"{place}: {name} is {notes[name]!r} of nothing")


def check_phases(place, life, following, below, found):
    """Checks the slices after a life on its track, and those below it."""
    wanted = []
    tracer = life["tracer"] or {}
    marks = dict(life, announced=tracer.get("notified") or life["notified"])
    for phase, end in (("teardown", "announced"), ("traced", "notified"), ("zombie", "reaped"), ("rcu_free", "freed")):
        if life[phase] is not None:
            wanted.append((phase, marks[end] - life[phase], marks[end]))
    if life["state"] == "zombie" and tracer and not life["notified"]:
        wanted.append(("traced", tracer["notified"] or life["seen"], None))
    elif life["state"] == "zombie":
        wanted.append(("zombie", life["notified"] or life["exited"] or life["seen"], None))
    elif life["state"] == "dying" and life["exited"]:
        wanted.append(("teardown", life["exited"], None))
    elif life["state"] == "unfreed" and life["reaped"]:
        wanted.append(("rcu_free", life["reaped"], None))
    if [(one.name, one.begin, one.end) for one in following] != wanted:
        complain(f"{place}: {[(one.name, one.begin, one.end) for one in following]}, not {wanted}")
    kills = [(one.name, one.begin, one.end) for one in found.inner if one.name == "kill"]
    if kills != ([("kill", life["killed"], life["exited"])] if life["kill"] is not None else []):
        complain(f"{place}: {kills}")
    births = {(name, end and end - begin) for name, begin, end in below if life["seen"] <= begin < (found.end or 2**64)}
    for phase in ("first_run", "exec"):
        if life[phase] is not None and (phase, life[phase]) not in births:
            complain(f"{place}: {phase} is not in {births}")
    back = life["memory"] or {}
    wanted = [(phase, back[begin], back[end]) for phase, begin, end in
              (("held", "left", "teardown"), ("unmap", "teardown", "gone")) if life[phase] is not None]
    for one in wanted:
        if one not in below:
            complain(f"{place}: {one} is not in {below}")


def check_family(path, tracks, slices, recording):
    """Each process has a track below its parent's."""
    track_of = {}
    for one in lives_of(slices):
        track_of[one.notes["pid"], one.begin] = one.track
    numbers = {number: track_of.get((process["pid"], process["seen"])) for number, process in recording.tree.items()}
    if len(set(numbers.values())) != len(numbers):
        complain(f"{path}: tracks {numbers}")
    for number, process in recording.tree.items():
        track = tracks[numbers[number]]
        parent = numbers.get(process["parent_id"], next(iter(tracks)))
        if track["parent_uuid"] != [parent] or not track["name"][0].endswith(f" {process['pid']}"):
            complain(f"{path}: {number}: {track}, not below {parent}")


def check_tracks(path, tracks, slices, by_process, recording):
    names = [track["name"][0] for track in tracks.values()]
    if by_process:
        check_family(path, tracks, slices, recording)
        return
    for track in tracks.values():
        name = track["name"][0]
        if not re.fullmatch("proclife|living processes|birth and memory|slot [0-9]+", name):
            complain(f"{path}: track {name}")
    slots = [name for name in names if name.startswith("slot")]
    if len(set(slots)) != len(slots) or len(slots) > len(recording.tree):
        complain(f"{path}: slots {slots}")
    for uuid, track in slices.items():
        ends = 0
        for one in track:
            if one.begin < ends or one.inner and any(inner.name != "kill" for inner in one.inner):
                complain(f"{path}: {tracks[uuid]['name']}: {one.name} overlaps")
            ends = one.end or 2**64


def count_perfetto(path, summary):
    slices = lives_of(read_perfetto(path)[1])
    failed = [one for one in slices if "failed" in one.categories]
    # A zombie that was found first had ended before.
    ended = [one for one in slices if one.notes.get("ended") and one.notes.keys() & {"status", "signal"} and
             (one.end != one.begin or "min_flt" in one.notes)]
    check_counts(path, summary, len(ended), sum(one in ended for one in failed), len(slices) - len(ended))
    if [one for one in slices if one.notes.get("failed")] != failed or \
            any(("open" in one.categories) == bool(one.notes.get("ended")) for one in slices):
        complain(f"{path}: its categories are not its annotations")
    if sum(one.notes.get("runtime", 0) for one in ended) != summary.runtime:
        complain(f"{path}: the sum of runtime is not that of --summary")


def check_perfetto(page, recordings, by_process=False):
    names, columns = set(), page_columns(page, "PERFETTO") - TIMES - PHASES
    for path, recording in recordings:
        tracks, slices, instants, counters = read_perfetto(path, recording)
        check_tracks(path, tracks, slices, by_process, recording)
        begun = {flow: one.track for one in all_slices(slices) for flow in one.flows if one.name == "zombie"}
        ended = {flow: one.track for one in instants for flow in one.ended_flows if one.name == "reap"}
        if begun.keys() != ended.keys() or len(ended) != len(instants) or \
                any(begun[flow] == ended[flow] for flow in begun):
            complain(f"{path}: flows from {begun} to {ended}")
        born = {}
        for track in slices.values():
            for at, one in enumerate(track):
                if "process" in one.categories:
                    after = [next_ for next_ in track[at + 1:] if "process" in next_.categories]
                    until = track.index(after[0]) if after else len(track)
                    born[one.notes["pid"], one.begin] = one, track[at + 1:until]
                    names |= one.notes.keys()
        below = [(one.name, one.begin, one.end) for one in all_slices(slices)
                 if tracks[one.track]["name"] == ["birth and memory"]]
        for number, life in recording.lives.items():
            place = f"{path}: {number}"
            found, following = born.get((life["pid"], life["seen"]), (None, None))
            if not found:
                complain(f"{place}: there is no such slice")
                continue
            check_notes(place, found.notes, life, columns)
            check_phases(place, life, following, below, found)
            if unescape(found.name) != bytes_of(life, "comm"):
                complain(f"{place}: its name is {found.name!r}")
            end = life["exited"] or life["notified"] or life["reaped"] or life["freed"]
            if found.end != end and end:
                complain(f"{place}: it ends at {found.end}, not {end}")
        if len(born) != len(recording.tree) or counters[-1] > len(recording.tree) or min(counters) < 0:
            complain(f"{path}: {len(born)} lives of {len(recording.tree)}, counters {counters}")
        alive = sum(process["state"] == "alive" for process in recording.tree.values())
        if not recording.lost and counters[-1] != alive:
            complain(f"{path}: {counters[-1]} live at the end, not {alive}")
        count_perfetto(path, recording)
    if names != columns:
        complain(f"the page and the annotations differ in {sorted(names ^ columns)}")


def check_processes(page, recordings):
    check_perfetto(page, recordings, by_process=True)


CHECKS = {"csv": check_csv, "folded": check_folded, "otlp": check_otlp, "perfetto": check_perfetto,
          "processes": check_processes}
COUNTS = {"csv": count_csv, "folded": count_folded, "otlp": count_otlp, "perfetto": count_perfetto}


def main(form, page, *files):
    if form == "counts":
        COUNTS[page](files[0], Summary(files[1]))
        return bool(complaints)
    if form == "losses":
        check_losses(page, *files)
        return bool(complaints)
    recordings = [(files[i], Recording(*files[i + 1:i + 4])) for i in range(0, len(files), 4)]
    CHECKS[form](page, recordings)
    return bool(complaints)


sys.exit(main(*sys.argv[1:]))
