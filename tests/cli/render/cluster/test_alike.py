"""What many nodes say alike is one line for a node set, whatever addresses and names of their own stand in it."""

import pytest

from l0_infra.core.nodeset import expand
from l1_podsys.schemas import Health, Verdict
from ogai.flows.cluster import Brought, Deviation, Deviations, NodeBrought, Trouble
from ogai.render.alike import alike, fold_alike
from ogai.render.cluster.brought import print_brought
from ogai.render.cluster.deviations import print_deviations
from ogai.render.cluster.health import print_health

NODES = expand("n[01-40]")
Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("no answer of 10.0.0.7 within 5 s", "no answer of ADDRESS within 5 s"),
        ("fe80::1 and [2001:db8::7]:22", "ADDRESS and [ADDRESS]:22"),
        ("ssh-copy-id -p 22 root@n07", "ssh-copy-id -p 22 root@NODE"),
        ("n07-gpu and gpu-n07 are others", "n07-gpu and gpu-n07 are others"),
        ("version 22.05.8, 12:30:05, a::b", "version 22.05.8, 12:30:05, ADDRESS"),
        ("a sum of 1.5.", "a sum of 1.5."),
    ],
)
def test_names_and_addresses_are_a_nodes_own(said: str, left: str) -> None:
    assert alike(said, "n07") == left


def test_who_says_the_same_is_one_set_and_one_alone_keeps_its_words() -> None:
    said = {"n1": "lost 10.0.0.1", "n2": "lost 10.0.0.2", "n3": "refused by 10.0.0.3"}
    assert fold_alike(said) == {"n[1-2]": "lost ADDRESS", "n3": "refused by 10.0.0.3"}


def test_a_check_of_many_nodes_is_a_few_lines(capsys: Captured) -> None:
    verdicts = [
        Verdict(
            node=name,
            check="node.reachable",
            severity="critical",
            found=f"no route to 10.0.0.{index}",
            expected="an answer",
        )
        for index, name in enumerate(NODES)
    ]
    print_health(Health(cluster="pod", level="quick", checked_at=0.0, verdicts=tuple(verdicts)))
    out = capsys.readouterr().out
    assert "CRITICAL  n[01-40]  node.reachable" in out and "no route to ADDRESS" in out
    assert len(out.splitlines()) < 12


def test_what_deviates_alike_is_a_line(capsys: Captured) -> None:
    rows = tuple(Deviation(node=name, name="munge", reason="drifted", what="file /etc/x") for name in NODES)
    unseen = {f"m{index}": f"no answer of 10.0.0.{index}" for index in range(5)}
    print_deviations(Deviations(cluster="pod", nodes=40, deviations=rows, unseen=unseen))
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 3
    assert "not seen: m[0-4]: no answer of ADDRESS" in out


def test_nodes_that_are_gone_are_told_together(capsys: Captured) -> None:
    troubles = [
        Trouble(node=name, name="ssh", state="failed", message=f"refused (ssh-copy-id root@{name})")
        for name in NODES
    ]
    nodes = tuple(NodeBrought(name=name, state="unreachable") for name in NODES)
    print_brought(Brought(cluster="pod", run="r", seconds=1.0, nodes=nodes, troubles=tuple(troubles)))
    assert "n[01-40]: ssh failed\n    refused (ssh-copy-id root@NODE)\n" in capsys.readouterr().out
