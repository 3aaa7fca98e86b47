"""Whether packets are filtered, and by what: ufw, firewalld, or rules of nftables or iptables themselves."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from l0_infra.facts.bundle import Answer, Answers, Source
from l0_infra.facts.tree import Tree, settings
from l0_infra.schemas import Service, Unread

__all__ = ["IPTABLES", "NFT", "Firewall", "firewall_unread", "parse_firewall"]

NFT = Source(
    name="nft-ruleset.txt",
    program="nft",
    command=files(__package__).joinpath("nft.sh").read_text("utf-8"),
    whole="nft list ruleset",
)
IPTABLES = Source(
    name="iptables-save.txt",
    program="iptables-save",
    command=files(__package__).joinpath("iptables.sh").read_text("utf-8"),
    whole="iptables-save",
)

COUNTED = re.compile(r"(?: *([0-9]{1,9}) )?(\t*)(\S.*)?")
"""A line as it is, or with what `uniq -c` puts before it."""

NOT_A_RULE = frozenset(("type", "policy", "flags", "comment", "devices"))
"""First words of lines of a chain that are no rules."""

IPTABLES_TABLE = re.compile(r"table (ip6?|arp|bridge) (filter|nat|mangle|raw|security) \{")
"""Tables that iptables makes where it stands on nftables."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Firewall:
    """What filters packets, `none` when nothing does; None: not known."""

    name: str | None = None
    rules: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Rules:
    """Rules of one tool; `refuses` tells of a chain that refuses what no rule lets pass."""

    tool: str
    count: int
    refuses: bool


Line = tuple[int, str, str]
"""How often, how deep and what."""


def parse_firewall(answers: Answers, tree: Tree, services: Sequence[Service]) -> Firewall:
    """Name the front end that is on, else the rules' own tool; `none` only when nobody's rules are unknown."""
    told = (_nft(answers[NFT.name]), _iptables(answers[IPTABLES.name]))
    known = [rules for rules in told if rules]
    most = max(known, key=lambda rules: rules.count, default=None)
    missing = [s for rules, s in zip(told, (NFT, IPTABLES), strict=True) if not rules]
    name = _front_end(tree, services)
    if name is None and most and (most.count or any(rules.refuses for rules in known)):
        name = most.tool
    elif name is None and most and all(answers[source.name].end == "absent" for source in missing):
        name = "none"
    return Firewall(name=name, rules=most.count if most else None)


def firewall_unread(answers: Answers) -> Iterator[Unread]:
    """Yield why rules could not be read."""
    for source, parse in ((NFT, _nft), (IPTABLES, _iptables)):
        answer = answers[source.name]
        yield from answer.unread(source.whole or source.program)
        if answer.ok and not parse(answer):
            yield Unread(
                what=source.whole or source.program, reason="garbled", detail="cut off before its end"
            )


def _front_end(tree: Tree, services: Sequence[Service]) -> str | None:
    if any(one.name == "firewalld" and one.state == "active" for one in services):
        return "firewalld"
    ufw = settings(tree.get("/etc/ufw/ufw.conf", ()), "=").get("ENABLED", "")
    return "ufw" if ufw.lower() == "yes" else None


def _nft(answer: Answer) -> _Rules | None:
    lines = list(_lines(answer))
    heads = sum(times for times, depth, said in lines if not depth and said.startswith("table "))
    ends = sum(times for times, depth, said in lines if not depth and said == "}")
    if not answer.ok or heads != ends or (lines and not heads):
        return None
    filtering = list(_filtering(lines))
    return _Rules(
        tool="iptables" if all(IPTABLES_TABLE.fullmatch(table) for table, _ in filtering) else "nftables",
        count=sum(times for _, times in filtering),
        refuses=any(not times for _, times in filtering),
    )


def _filtering(lines: Sequence[Line]) -> Iterator[tuple[str, int]]:
    """Yield the table and the number of rules that are alike, 0 for a chain that refuses by its policy.

    Sets, maps and counters have lines too, which are no rules.
    """
    table = block = ""
    for times, depth, said in lines:
        if not depth:
            table, block = said, ""
        elif depth == "\t":
            block = said
        elif depth == "\t\t" and block.startswith("chain "):
            if said.split()[0] not in NOT_A_RULE:
                yield table, times
            elif " hook " in said and "policy drop" in said:
                yield table, 0


def _iptables(answer: Answer) -> _Rules | None:
    lines = list(_lines(answer))
    heads = sum(times for times, _, said in lines if said.startswith("*"))
    ends = sum(times for times, _, said in lines if said == "COMMIT")
    if not answer.ok or heads != ends or (lines and not heads):
        return None
    return _Rules(
        tool="iptables",
        count=sum(times for times, _, said in lines if said.split()[0] == "-A"),
        refuses=any(re.match(r":\S+ DROP\b", said) for _, _, said in lines),
    )


def _lines(answer: Answer) -> Iterator[Line]:
    for line in answer.out.split("\n"):
        match = COUNTED.fullmatch(line.rstrip())
        if match and match[3]:
            yield int(match[1] or 1), match[2], match[3]
