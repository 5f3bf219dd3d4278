# SPDX-License-Identifier: GPL-2.0-only
"""junit.py FILE: prints what a reader of JUnit XML finds in this file, a line for each testcase."""
import sys
import xml.etree.ElementTree

suites = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
counts = dict.fromkeys(["tests", "failures", "errors", "skipped"], 0)
elements = {"failure": "failures", "error": "errors", "skipped": "skipped"}
lines = []
assert suites.tag == "testsuites" and [suite.tag for suite in suites] == ["testsuite"]
for case in suites[0]:
    assert case.tag == "testcase" and set(case.attrib) == {"classname", "name"}
    counts["tests"] += 1
    line = "%s|%s" % (case.get("classname"), case.get("name"))
    for result in case:
        counts[elements[result.tag]] += 1
        line += "|%s: %s" % (result.tag, result.get("message"))
    lines.append(line)
assert {name: str(n) for name, n in counts.items()} == {
    name: suites[0].get(name) for name in counts}, counts
assert all(suites.get(name) == suites[0].get(name) for name in ("tests", "failures", "errors"))
print("\n".join(lines).encode("unicode_escape").decode().replace("\\n", "\n"))
