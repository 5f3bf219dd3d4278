# SPDX-License-Identifier: GPL-2.0-only
"""Names and times in JSON, and values for which a range is right."""
import math
import signal
import time

PERCENTILES = {"p50": 2, "p90": 10, "p99": 100, "p99.9": 1000}  # for at least this many values
LARGER = 1 + 1 / 128  # the error bound of a percentile


class Percentile:
    """The exact value, and the largest that the program may print. Equal to all in between."""

    def __init__(self, values, percent):
        self.exact = sorted(values)[max(math.ceil(len(values) * percent / 100), 1) - 1]
        self.most = min(self.exact * LARGER, max(values))

    def __eq__(self, other):
        return isinstance(other, int) and self.exact <= other <= self.most

    def about(self):
        return self.exact

    def __repr__(self):
        return "%d to %d" % (self.exact, self.most)


class Near:
    """A mean, whose last digit is a question of rounding."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, int) and abs(other - self.value) <= 1

    def about(self):
        return int(self.value)

    def __repr__(self):
        return "about %.1f" % self.value


class Either(dict):
    """Any of these objects, which are equal in what counts."""

    def __init__(self, objects):
        super().__init__(objects[0])
        self.objects = objects

    def __eq__(self, other):
        return other in self.objects

    def __ne__(self, other):
        return other not in self.objects


class OrNone:
    """A figure that the program may leave out."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return other is None or other == self.value

    def __repr__(self):
        return "%s or none" % self.value


class Any:
    """What the view's documentation leaves open."""

    def __init__(self, *kinds):
        self.kinds = kinds

    def __eq__(self, other):
        return isinstance(other, self.kinds)

    def __repr__(self):
        return "any " + "/".join(kind.__name__ for kind in self.kinds)


def text(data):
    """Each byte that is no part of valid UTF-8 is U+FFFD."""
    shown = ""
    while data:
        try:
            return shown + data.decode()
        except UnicodeDecodeError as error:
            shown += data[:error.start].decode() + "�" * (error.end - error.start)
            data = data[error.end:]
    return shown


def texts(name, data):
    if data is None:
        return {name: None}
    found = {name: text(data)}
    try:
        data.decode()
    except UnicodeDecodeError:
        found[name + "_hex"] = data.hex()
    return found


def handle(number):
    return "%016x" % number


def signal_name(number):
    """The name by kill -l; the C library keeps the real-time signals 32 and 33 for itself."""
    if number in (32, 33):
        return "SIG%d" % number
    if 34 <= number <= 64:
        return "SIGRTMIN+%d" % (number - 34)
    try:
        return signal.Signals(number).name
    except ValueError:
        return "signal %d" % number


def wait_status(raw):
    """None: it has not exited."""
    if raw is None:
        return {"wait_status": None, "status": None, "signal": None}
    return {"wait_status": raw, "status": None if raw & 0x7f else raw >> 8 & 0xff,
            "signal": signal_name(raw & 0x7f) if raw & 0x7f else None}


def killer(sent):
    return sent and dict(texts("comm", named(sent, "sender")), **texts("thread_comm", sent["sender_comm"]),
                         signal=signal_name(sent["signo"]), code=sent["code"], pid=sent["sender_tgid"],
                         tid=sent["sender_pid"], cause=sent.get("oom") and "oom" or CAUSES.get(sent["cause"]),
                         oom_scope=SCOPES.get(sent["oom"]["scope"]) if sent.get("oom") else None,
                         oom_cgroup=sent["oom"]["cgroup"] or None if sent.get("oom") and
                         sent["oom"]["scope"] == 2 else None)


CAUSES = {1: "parent-end", 2: "namespace-end", 3: "tracer-end", 4: "terminal"}
AUTOREAPS = {1: "ignored", 2: "nocldwait", 3: "clone"}
WAITS = {1: "any", 2: "pid", 3: "group"}
SCOPES = {1: "global", 2: "cgroup"}


def named(record, who):
    """The name of the process that did something, by a thread of it; None if it is not known."""
    leads = record[who + "_pid"] == record[who + "_tgid"]
    return record[who + "_group_comm"] or (record[who + "_comm"] if leads else None)


def histogram(values):
    """Rows without a hole, each up to twice its beginning, and the first one from 0 to 2."""
    begins = [0] + [1 << n for n in range(1, 64)]
    rows = [[begin, sum(begin <= value < max(2 * begin, 2) for value in values)] for begin in begins]
    while rows and not rows[0][1]:
        rows.pop(0)
    while rows and not rows[-1][1]:
        rows.pop()
    return rows


def figures(values):
    found = {"count": len(values), "histogram": histogram(values)}
    if values:
        found.update(min=min(values), max=max(values), mean=Near(sum(values) / len(values)))
        found.update({name: Percentile(values, float(name[1:])) if len(values) >= least else None
                      for name, least in PERCENTILES.items()})
    return found


def short(ns):
    """A time with three digits and a unit."""
    for unit, most in (("ns", 10 ** 3), ("us", 10 ** 6), ("ms", 10 ** 9)):
        value = ns / (most / 1000)
        digits = "%d" % value if unit == "ns" else \
            "%.*f" % (2 if value < 9.995 else 1 if value < 99.95 else 0, value)
        if float(digits) < 1000:
            return digits + " " + unit
    value = ns / 10 ** 9
    return "%.*f s" % (2 if value < 9.995 else 1 if value < 99.95 else 0, value)


def seconds(ns):
    """A time with --monotonic."""
    return "%d.%09d" % divmod(ns, 10 ** 9)


def daytime(ns, to_realtime):
    """The same with --utc: the date, and the time of day."""
    at, fraction = divmod(ns + to_realtime, 10 ** 9)
    return time.strftime("%Y-%m-%dZ %H:%M:%S", time.gmtime(at)) + ".%06d" % (fraction // 1000)
