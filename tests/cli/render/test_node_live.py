"""The live table of nodes: the worst first, cut to the screen, and no column that says nothing."""

import msgspec

from l0_infra.schemas import Accelerator, Condition, FabricPort, Finding, Inspection, NodeFacts, Unread
from ogai.flows.node import Inspected
from ogai.render.node.live import live_lines


def judged(name: str, *severities: str) -> Inspection:
    found = {
        "rule": "r", "subject": "s", "what": "w", "found": "f" * 40, "expected": "e", "why": "y", "mend": "m",
    }  # fmt: skip
    findings = tuple(msgspec.convert(found | {"severity": one}, Finding) for one in severities)
    return Inspection(node=name, facts_at=1.0, findings=findings)


def drawn(look: Inspected, *, width: int = 140, height: int = 24) -> list[str]:
    return [line.plain for line in live_lines(look, width=width, height=height, now=1.0)]


def node(name: str, *unread: Unread) -> NodeFacts:
    return NodeFacts(node=name, probed_at=1.0, unread=unread)


def test_the_lost_and_the_worst_come_first_and_the_rest_is_counted() -> None:
    lost = Unread(what="node", reason="hung", detail="no answer in 40 s")
    look = Inspected(
        inspections=(judged("n1"), judged("n2", "warning"), judged("n3", "fatal"), judged("n4")),
        facts=(node("n1"), node("n2"), node("n3"), node("n4", lost)),
    )
    assert [line.split()[0] for line in drawn(look)[1:5]] == ["n4", "n3", "n2", "n1"]
    assert "no answer in 40 s" in drawn(look)[1]
    short = drawn(look, height=5)
    assert len(short) == 4 and short[-1].startswith("2 more nodes, no worse; ")


def test_columns_that_say_nothing_leave_their_room() -> None:
    head, row, _ = drawn(Inspected(inspections=(judged("n1", "error"),), facts=(node("n1"),)), width=80)
    assert head.split("  ")[0] == "NODE" and "POWER" not in head and "f" * 40 in row


def test_columns_of_which_one_node_tells_stay() -> None:
    gpu = Accelerator(
        id="nvidia:0", vendor="nvidia", index=0, condition=Condition(temperature_c=71, power_w=402.4)
    )
    told = NodeFacts(node="n2", probed_at=1.0, accelerators=(gpu,), fabric=(FabricPort(device="m", port=1),))
    look = Inspected(inspections=(judged("n1"), judged("n2")), facts=(node("n1"), told))
    head, *rows = drawn(look)[:3]
    assert "HOTTEST" in head and "BUSY" not in head
    assert rows[0].split()[:4] == ["n1", "ok", "-", "-"]
    assert [word in rows[1] for word in ("71 °C", "402 W", "0/1 up")] == [True, True, True]


def test_no_line_is_wider_than_the_screen() -> None:
    look = Inspected(inspections=(judged("n1", "error"),), facts=(node("n1"),))
    assert max(map(len, drawn(look, width=30))) <= 30
