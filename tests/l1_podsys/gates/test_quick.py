"""A cluster that is well has no bad verdict, and each thing that breaks is told of the right node under its code."""

from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest

from l0_infra.schemas import Accelerator, ClockState, Cpu, Finding, Inspection, NetworkInterface
from l1_podsys.gates import Offset, Scene, judge_quick, members_of
from l1_podsys.gates.catalogue import CHECKS
from l1_podsys.gates.look import parse_look
from l1_podsys.gates.services import judge_names
from l1_podsys.gates.view import NodeView
from tests.l1_podsys.gates.scenes import (
    CLUSTER,
    GIB,
    bad,
    facts_of,
    scene,
    slurm_node,
    with_lines,
    with_view,
)

C2 = next(member for member in members_of(CLUSTER) if member.name == "c2")
Break = Callable[[Scene], Scene]


def test_all_is_well() -> None:
    verdicts = judge_quick(CLUSTER, scene())
    assert bad(verdicts) == set()
    assert {one.check for one in verdicts if one.node == "c2"} >= {
        *("node.reachable", "node.rules", "class.equal", "time.offset", "time.service", "disk.full"),
        *("disk.write", "network.compute-link", "network.compute-address", "network.compute-route"),
        *("names.resolve", "ssh.mesh", "storage.shared-shared", "service.active", "scheduler.munge"),
        *("scheduler.node", "scheduler.state", "scheduler.size", "scheduler.version"),
    }


def lines(**sections: tuple[str, ...] | None) -> Break:
    return lambda base: with_lines(
        base, "c2", {name.replace("_", " "): one for name, one in sections.items()}
    )


def facts(**changes: object) -> Break:
    return lambda base: with_view(base, "c2", facts=facts_of(C2, **changes))


def slurm(node: object) -> Break:
    def change(base: Scene) -> Scene:
        others = tuple(one for one in base.slurm or () if one.name != "c2")
        return replace(base, slurm=(*others, node) if node else others)

    return change


def offset(seconds: float, error_s: float) -> Break:
    return lambda base: with_view(base, "c2", offset=Offset(seconds=seconds, error_s=error_s))


def finding(rule: str, severity: str) -> Break:
    found = Finding(
        rule=rule, severity=severity, subject="node", what="w", found="f", expected="e", why="y", mend="m"
    )  # type: ignore[arg-type]
    return lambda base: with_view(
        base, "c2", inspection=Inspection(node="c2", facts_at=1.0, findings=(found,), passed=("a",))
    )


def port(name: str, **changes: object) -> Break:
    """Change one interface of the node."""
    held = facts_of(C2).interfaces
    return facts(
        interfaces=tuple(msgspec.structs.replace(one, **changes) if one.name == name else one for one in held)
    )


GPU = Accelerator(id="nvidia:0", vendor="nvidia", index=0)
BROKEN: list[tuple[str, Break, str, str]] = [
    ("lost", lambda base: with_view(base, "c2", lost="no route"), "node.reachable", "critical"),
    ("cut off", lines(end=None), "node.look", "unknown"),
    ("clock ahead", offset(6.2, 0.05), "time.offset", "critical"),
    ("clock a little off", offset(5.3, 0.05), "time.offset", "warning"),
    ("no time told", lambda base: with_view(base, "c2", offset=None), "time.offset", "unknown"),
    ("nothing keeps it", facts(clock=ClockState()), "time.service", "warning"),
    ("not in step", facts(clock=ClockState(service="chrony", synchronised=False)), "time.service", "warning"),
    ("full", lines(blocks=("/dev/sda1 1000 990 10 99% /",)), "disk.full", "critical"),
    ("nearly full", lines(blocks=("/dev/sda1 1000 910 90 91% /",)), "disk.full", "warning"),
    ("no inodes", lines(inodes=("/dev/sda1 1000 1000 0 100% /",)), "disk.full", "critical"),
    ("df silent", lines(blocks=None, inodes=None), "disk.full", "unknown"),
    ("read-only", lines(write=("ok /", "bad /tmp Read-only file system")), "disk.write", "critical"),
    ("cable out", port("eth1", state="down"), "network.compute-link", "critical"),
    ("slow port", port("eth1", speed_bits_per_s=10**10), "network.compute-link", "critical"),
    ("no address", port("eth1", addresses=()), "network.compute-address", "critical"),
    ("address elsewhere", port("eth0", addresses=("10.9.0.1/24",)), "network.management-address", "critical"),
    (
        "wrong way",
        lambda base: with_lines(
            base,
            "c2",
            {
                f"route 10.6.0.{peer.address.rpartition('.')[2]}": ("x via 10.5.0.254 dev eth0 src y",)
                for peer in base.peers["c2"]
            },
        ),
        "network.compute-route",
        "critical",
    ),
    ("unknown name", lines(name_head=None), "names.resolve", "critical"),
    ("wrong name", lines(name_head=("127.0.1.1",)), "names.resolve", "critical"),
    ("nothing to try with", lines(mesh=("!missing",)), "ssh.mesh", "unknown"),
    ("not mounted", lines(mounts=("/dev/sda1 / ext4 rw 0 0",)), "storage.shared-mounted", "critical"),
    (
        "other disk",
        lambda base: with_lines(base, "c2", {"storage /shared": ("failed 1 No such file",)}),
        "storage.shared-shared",
        "critical",
    ),
    (
        "mount hangs",
        lambda base: with_lines(base, "c2", {"storage /shared": ("failed 124",)}),
        "storage.shared-shared",
        "critical",
    ),
    ("slurmd dead", lines(service_slurmd=("failed",)), "service.active", "critical"),
    ("some unit failed", lines(failed=("backup.service",)), "service.active", "warning"),
    ("no systemd", lines(failed=None), "service.active", "unknown"),
    ("other key", lines(munge=("unmunge: Error: Invalid credential",)), "scheduler.munge", "critical"),
    ("unknown to Slurm", slurm(None), "scheduler.node", "critical"),
    ("down", slurm(slurm_node("c2", "DOWN+NOT_RESPONDING")), "scheduler.state", "critical"),
    ("drained", slurm(slurm_node("c2", "IDLE+DRAIN", reason="psu")), "scheduler.state", "warning"),
    ("fewer CPUs", slurm(slurm_node("c2", cpus=4)), "scheduler.size", "critical"),
    ("too much memory", slurm(slurm_node("c2", memory_bytes=65 * GIB)), "scheduler.size", "critical"),
    ("little memory", slurm(slurm_node("c2", memory_bytes=32 * GIB)), "scheduler.size", "critical"),
    ("no gres", facts(accelerators=(GPU,)), "scheduler.size", "critical"),
    ("lost GPU", slurm(slurm_node("c2", gres="gpu:a100:1")), "scheduler.size", "critical"),
    ("old slurmd", slurm(slurm_node("c2", slurm_version="23.11.1")), "scheduler.version", "warning"),
    ("fatal rule", finding("kernel-fatal", "fatal"), "node.kernel-fatal", "critical"),
    ("odd memory", finding("odd-memory", "error"), "class.memory", "critical"),
    ("odd kernel", finding("odd-kernel", "warning"), "class.kernel", "warning"),
]


@pytest.mark.parametrize(
    ("change", "check", "severity"), [pytest.param(*one[1:], id=one[0]) for one in BROKEN]
)
def test_what_is_broken_is_told_of_that_node_alone(change: Break, check: str, severity: str) -> None:
    verdicts = judge_quick(CLUSTER, change(scene()))
    assert bad(verdicts) == {("c2", check, severity)}
    (found,) = (one for one in verdicts if one.severity != "ok")
    assert found.found and found.expected and found.hint


def test_a_notice_is_left_to_node_inspect() -> None:
    assert bad(judge_quick(CLUSTER, finding("odd-zone", "notice")(scene()))) == set()


def test_no_controller_is_critical_there_and_unknown_for_the_nodes() -> None:
    silent = replace(scene(), slurm=None, slurm_error="connect failure")
    assert bad(judge_quick(CLUSTER, silent)) == {
        ("head", "scheduler.controller", "critical"),
        *((f"c{index}", "scheduler.node", "unknown") for index in range(1, 5)),
    }


def test_a_node_that_nobody_reaches_is_to_blame_and_not_its_peers() -> None:
    base = scene()
    address = "10.5.0.12"
    for view in base.views:
        if view.name != "c2" and view.look is not None:
            reached = tuple(one for one in view.look.sections["mesh"] if one != address)
            base = with_lines(base, view.name, {"mesh": reached})
    assert bad(judge_quick(CLUSTER, base)) == {("c2", "ssh.mesh", "critical")}


def test_a_node_that_reaches_nobody_is_to_blame() -> None:
    assert bad(judge_quick(CLUSTER, with_lines(scene(), "c2", {"mesh": ()}))) == {
        ("c2", "ssh.mesh", "critical")
    }


def test_two_of_a_class_that_differ_are_both_told() -> None:
    base = scene()
    two = replace(base, views=tuple(view for view in base.views if view.name in ("head", "c1", "c2")))
    two = replace(two, peers=dict.fromkeys(two.peers, ()))
    assert ("c2", "class.equal", "warning") not in bad(judge_quick(CLUSTER, two))
    changed = with_view(two, "c2", facts=facts_of(C2, cpu=Cpu(model="Y", threads=16, cores=8)))
    assert bad(judge_quick(CLUSTER, changed)) == {
        ("c1", "class.equal", "warning"),
        ("c2", "class.equal", "warning"),
    }


def test_when_nobody_answers_every_node_is_critical() -> None:
    base = scene()
    lost = replace(
        base,
        views=tuple(NodeView(member=view.member, lost="refused") for view in base.views),
        slurm=None,
        slurm_error="refused",
    )
    critical = {one[0] for one in bad(judge_quick(CLUSTER, lost)) if one[2] == "critical"}
    assert critical == {"head", "c1", "c2", "c3", "c4"}


def test_a_name_may_mean_any_address_of_its_node_and_a_host_name_of_the_document_is_no_address() -> None:
    base = scene()
    assert bad(judge_quick(CLUSTER, with_lines(base, "c2", {"name head": ("10.6.0.1",)}))) == set()
    head = replace(base.peers["c2"][0], address="head.example.org")
    peers = {**base.peers, "c2": (head, *base.peers["c2"][1:])}
    named = with_view(replace(base, peers=peers), "head", facts=None)
    reached = with_lines(
        named, "c2", {"name head": ("198.51.100.7",), "mesh": tuple(p.address for p in peers["c2"])}
    )
    assert ("c2", "names.resolve", "critical") not in bad(judge_quick(CLUSTER, reached))


def test_nodes_that_can_name_nobody_say_so_alike_whomever_each_tried() -> None:
    look = parse_look("== name head\n10.5.0.1\n== end")
    wanted = [{"head": ("10.5.0.1",), "c3": (), "c4": ()}, {"head": ("10.5.0.1",), "c7": (), "c8": ()}]
    first, second = (next(judge_names("c2", one, look)) for one in wanted)
    assert first.found == second.found == "names of several nodes mean nothing"
    assert "getent hosts c3" in first.hint
    (one,) = judge_names("c2", {"head": ("10.5.0.1",), "c3": ()}, look)
    assert one.found == "c3 means nothing"


def test_a_link_without_a_speed_is_no_slow_one() -> None:
    assert bad(judge_quick(CLUSTER, port("eth1", speed_bits_per_s=None)(scene()))) == set()
    assert NetworkInterface(name="x").speed_bits_per_s is None


def test_every_area_of_a_verdict_is_in_the_catalogue() -> None:
    areas = {code.partition(".")[0] for code in CHECKS}
    assert {one.check.partition(".")[0] for one in judge_quick(CLUSTER, scene())} <= areas
