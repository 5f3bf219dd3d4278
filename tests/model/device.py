# SPDX-License-Identifier: GPL-2.0-only
"""A plain file in the device's layout, after proclife(4)."""
import collections

import abi

PAGE = 4096

# Where the counts are in a control page: not where the module has them.
COUNTS, SUPPRESSED = 2048, 1024


def by_type(numbers):
    """The array of a ring's control page; numbers: by the name of the type."""
    found = [0] * abi.CONSTANTS["TYPES"]
    for kind, number in numbers.items():
        found[abi.NUMBERS[kind]] = number
    return b"".join(number.to_bytes(8, "little") for number in found)


def write(path, rings, per_ring, header, first=0, suppressed=None, suppressing=()):
    """
    rings: for each CPU, all records that its ring has ever had, or None. Positions begin at @first.
    suppressed: how many of a (CPU, type); suppressing: each (CPU, type) that is suppressed now.
    """
    stride = 2 * PAGE + -(-per_ring * abi.RECORD_BYTES // PAGE) * PAGE
    layout = abi.LAYOUTS["header"]
    said = dict(header, magic=abi.CONSTANTS["MAGIC"], abi_version=abi.CONSTANTS["ABI_VERSION"],
                abi_compatible=abi.CONSTANTS["ABI_COMPATIBLE"], header_bytes=layout.struct.size,
                record_bytes=abi.RECORD_BYTES, rings_offset=2 * PAGE, ring_stride=stride,
                records_offset=2 * PAGE, records_per_ring=per_ring,
                types=abi.CONSTANTS["TYPES"], counts_offset=COUNTS, suppressed_offset=SUPPRESSED, cpus=len(rings),
                cpu_map_offset=1024, generation=1, map_bytes=2 * PAGE + len(rings) * stride)
    image = bytearray(said["map_bytes"])
    image[:layout.struct.size] = layout.pack(said)
    for cpu, records in enumerate(rings):
        if records is None:
            continue
        image[1024 + cpu // 8] |= 1 << cpu % 8
        base = 2 * PAGE + cpu * stride
        end = first + len(records)
        for position, record in enumerate(records, first):
            at = base + 2 * PAGE + position % per_ring * abi.RECORD_BYTES
            image[at:at + abi.RECORD_BYTES] = abi.pack(record)
        counts = collections.Counter(record["type"] for record in records)
        control = abi.LAYOUTS["ring_ctl"].pack({
            "reserve": end, "commit": end,
            "suppressing": sum(1 << abi.NUMBERS[kind] for other, kind in suppressing
                               if other == cpu)})
        missing = by_type({kind: count for (other, kind), count in (suppressed or {}).items() if other == cpu})
        for at, part in ((0, control), (COUNTS, by_type(counts)), (SUPPRESSED, missing)):
            image[base + at:base + at + len(part)] = part
    with open(path, "wb") as file:
        file.write(image)
