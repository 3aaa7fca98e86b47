"""`ogai node` over support bundles: facts, findings, differences, exit codes; nothing of this machine is asked."""

import io
import json
import tarfile
from pathlib import Path

import pytest

from l0_infra.evidence import NodeEvidence, save_bundle
from l0_infra.facts.bundle import ABSENT, Answer
from l0_infra.facts.probe import SOURCES
from ogai.main import main

Captured = pytest.CaptureFixture[str]

MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.54\n"
MODULE = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.06  Wed Jun 26 06:46:07 UTC 2024\n"


def said(**outputs: str) -> NodeEvidence:
    answers = {source.name: ABSENT for source in SOURCES}
    files = {
        "uname": "uname.txt",
        "gpus": "nvidia-smi-query-gpu.csv",
        "module": "proc-driver-nvidia-version.txt",
        "lscpu": "lscpu.txt",
    }
    code = 18 if MISMATCH in outputs.values() else 0
    answers |= {files[name]: Answer(end="exit", code=code, out=out) for name, out in outputs.items()}
    return NodeEvidence(name=outputs["uname"].split("\n")[0], probed_at=1.8e9, answers=answers, files={})


def gpus(driver: str) -> str:
    return "".join(f"{i}, NVIDIA L4, GPU-{i}, 23034, 0, 0, 00000000:0{i}:00.0, {driver}\n" for i in range(2))


@pytest.fixture
def healthy(tmp_path: Path) -> Path:
    save_bundle(tmp_path / "good.tar.gz", [said(uname="n1\n6.8.0\nx86_64", gpus=gpus("570.1"))])
    return tmp_path / "good.tar.gz"


@pytest.fixture
def sick(tmp_path: Path) -> Path:
    node = said(uname="n2\n6.8.0\nx86_64", gpus=MISMATCH, module=MODULE)
    save_bundle(tmp_path / "bad.tar.gz", [node])
    return tmp_path / "bad.tar.gz"


@pytest.fixture
def several(tmp_path: Path) -> Path:
    drivers = ["570.1", "570.1", "550.9", "570.1"]
    nodes = [said(uname=f"n{i}\n6.8.0\nx86_64", gpus=gpus(driver)) for i, driver in enumerate(drivers)]
    save_bundle(tmp_path / "all.tar.gz", nodes)
    return tmp_path / "all.tar.gz"


def test_a_healthy_node_is_0(healthy: Path, capsys: Captured) -> None:
    assert main(["node", "inspect", "--bundle", str(healthy), "-o", "json"]) == 0
    inspection = json.loads(capsys.readouterr().out)
    assert (inspection["kind"], inspection["node"], inspection["findings"]) == ("inspection", "n1", [])


def test_a_fatal_fault_is_6_and_says_how_to_mend_it(sick: Path, capsys: Captured) -> None:
    assert main(["node", "inspect", "--bundle", str(sick)]) == 6
    captured = capsys.readouterr()
    for words in ("FATAL  nvidia-smi  driver-mismatch", "535.183.06", "550.54", "mend", "reboot"):
        assert words in captured.out
    assert "faults of n2" in captured.err


def test_the_odd_one_out_is_named(several: Path, capsys: Captured) -> None:
    assert main(["node", "inspect", "--bundle", str(several), "-o", "json"]) == 6
    found = {
        one["node"]: [each["rule"] for each in one["findings"]] for one in json.loads(capsys.readouterr().out)
    }
    assert found == {"n0": [], "n1": [], "n2": ["odd-driver"], "n3": []}


def test_like_findings_are_told_once(tmp_path: Path, capsys: Captured) -> None:
    nodes = [said(uname=f"n{i}\nk\nm", gpus=MISMATCH, module=MODULE) for i in (1, 2, 3)]
    save_bundle(tmp_path / "all.tar.gz", nodes)
    assert main(["node", "inspect", "--bundle", str(tmp_path / "all.tar.gz")]) == 6
    out = capsys.readouterr().out
    assert out.count("driver-mismatch") == 1 and "n[1-3]  nvidia-smi  driver-mismatch" in out


def test_facts_of_a_bundle(several: Path, capsys: Captured) -> None:
    assert main(["node", "facts", "--bundle", str(several)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[0] == "NODE" and [line.split()[0] for line in lines[1:]] == [
        "n0",
        "n1",
        "n2",
        "n3",
    ]
    assert "2 × NVIDIA L4" in lines[1]


def test_two_nodes_of_one_bundle_differ(several: Path, capsys: Captured) -> None:
    assert main(["node", "diff", f"{several}:n0", f"{several}:n2"]) == 0
    out = capsys.readouterr().out
    assert "accelerators[nvidia:0].driver_version" in out and "570.1" in out and "550.9" in out


def test_alike_nodes_are_said_to_be(several: Path, capsys: Captured) -> None:
    assert main(["node", "diff", f"{several}:n0", f"{several}:n1"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "" and "alike" in captured.err


def test_which_node_of_a_bundle_must_be_said(several: Path, capsys: Captured) -> None:
    assert main(["node", "diff", str(several), str(several)]) == 2
    assert "n0, n1, n2, n3" in capsys.readouterr().err


def test_rules_of_ones_own_count(healthy: Path, tmp_path: Path, capsys: Captured) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "kind: node_rules\nrules:\n  - id: our-driver\n    severity: error\n    each: accelerators\n"
        "    expect: [{field: driver_version, equals: '580.0'}]\n    what: driver of {id}\n"
        "    expected: '580.0'\n    why: we measured with it\n    mend: install it\n"
    )
    assert main(["node", "inspect", "--bundle", str(healthy), "--rules", str(rules), "-o", "json"]) == 6
    assert [one["subject"] for one in json.loads(capsys.readouterr().out)["findings"]] == [
        "nvidia:0",
        "nvidia:1",
    ]


def test_a_bad_rule_is_refused_with_its_place(healthy: Path, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "rules.yaml").write_text(
        "kind: node_rules\nrules:\n  - {id: x, severity: bad, what: a, expected: b, why: c, mend: d}\n"
    )
    assert main(["node", "inspect", "--bundle", str(healthy), "--rules", str(tmp_path / "rules.yaml")]) == 2
    assert "rules.yaml:3:" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["facts"], ["inspect"]])
@pytest.mark.parametrize("name", ["missing.tar.gz", "missing", "."])
def test_what_is_no_bundle_is_2(
    words: list[str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["node", *words, "--bundle", name]) == 2
    assert name in capsys.readouterr().err


def test_folders_of_any_name_are_judged_as_nodes(tmp_path: Path, capsys: Captured) -> None:
    for name in ("a [b", "n2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kernel.log").write_text(
            "[1.0] NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus."
        )
    assert main(["node", "inspect", "--bundle", str(tmp_path)]) == 6
    captured = capsys.readouterr()
    assert "faults of n2, a [b" in captured.err and "FATAL  n2, a [b" in captured.out


def test_files_that_tell_nothing_are_said(tmp_path: Path, capsys: Captured) -> None:
    with tarfile.open(tmp_path / "hand.tar", "w") as archive:
        for name, text in (("n7/uname.txt", "n7\n6.8.0\nx86_64\n"), ("n7/todo.md", "call them")):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    assert main(["node", "facts", "--bundle", str(tmp_path / "hand.tar"), "-o", "json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["hostname"] == "n7" and "not read: n7/todo.md" in captured.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["facts", "gpu[01-02]"], "--cluster FILE"),
        (["facts", "--hosts", "gpu[1-"], "node set"),
        (["facts", "--hosts", "a", "--cluster", "b.yaml"], "either one or the other"),
        (["facts", "--hosts", ""], "no name"),
        (["facts", "--cluster", "none.yaml"], "none.yaml"),
        (["inspect", "--rules", "none.yaml"], "none.yaml"),
        (["facts", "--bundle", ".", "--hosts", "a"], "--hosts beside it"),
        (["facts", "--bundle", ".", "--sudo"], "--sudo beside it"),
        (["inspect", "n1", "--bundle", "."], "nodes beside it"),
        (["inspect", "--bundle", ".", "--watch"], "--watch beside it"),
        (["inspect", "--watch", "-o", "json"], "-o json beside it"),
        (["collect", "--to", "none/case.tar.gz"], "no folder `none`"),
    ],
)
def test_wrong_words_are_2(
    words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["node", *words]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.real
def test_collect_writes_what_inspect_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["node", "collect"]) == 0
    path = capsys.readouterr().out.strip()
    assert main(["node", "facts", "--bundle", path, "-o", "json"]) == 0
    assert (
        json.loads(capsys.readouterr().out)["boot_id"]
        == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    )
