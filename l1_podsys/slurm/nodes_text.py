"""What `scontrol show nodes` prints, on one line a node or on many."""

import re
from collections.abc import Iterator, Mapping

from l1_podsys.slurm.node import SlurmNode

__all__ = ["parse_nodes_text"]

NODE = re.compile(r"^NodeName=", re.MULTILINE)
KEY = re.compile(r"(?:^|\s)([A-Z][A-Za-z]*)=")
REASON = re.compile(r"\sReason=(.*?) \[([^\]@\s]*)@([0-9T:-]+|Unknown)\]", re.DOTALL)
STATE_MARKS = "*~#!%$@^-"
"""What `sinfo` puts behind a state for what `scontrol` says as a flag."""


def parse_nodes_text(text: str) -> tuple[SlurmNode, ...]:
    """Read nodes, in the order printed; a text without any, such as an error, gives none."""
    starts = [match.start() for match in NODE.finditer(text)]
    if not starts:
        return ()
    ends = [*starts[1:], len(text)]
    return tuple(_node(text[start:end]) for start, end in zip(starts, ends, strict=True))


def _node(block: str) -> SlurmNode:
    reason = REASON.search(block)
    fields = dict(_fields(block if reason is None else block[: reason.start()] + block[reason.end() :]))
    return SlurmNode(
        name=fields["NodeName"],
        states=frozenset(word.rstrip(STATE_MARKS) for word in fields.get("State", "UNKNOWN").split("+")),
        cpus=_number(fields, "CPUTot"),
        cpus_allocated=_number(fields, "CPUAlloc"),
        memory_bytes=None if (size := _number(fields, "RealMemory")) is None else size * 2**20,
        gres=_plain(fields.get("Gres", "")),
        slurm_version=_plain(fields.get("Version", "")) or None,
        reason=" ".join(reason[1].split()) if reason else "",
        reason_by=reason[2] if reason else "",
        reason_at=reason[3] if reason else "",
    )


def _fields(block: str) -> Iterator[tuple[str, str]]:
    """Yield keys and values; a value may hold spaces, and ends where the next key begins."""
    matches = list(KEY.finditer(block))
    ends = [match.start() for match in matches[1:]] + [len(block)]
    for match, end in zip(matches, ends, strict=True):
        yield match[1], block[match.end() : end].strip()


def _number(fields: Mapping[str, str], key: str) -> int | None:
    text = fields.get(key, "")
    return int(text) if text.isdecimal() else None


def _plain(text: str) -> str:
    return "" if text in ("(null)", "N/A") else text
