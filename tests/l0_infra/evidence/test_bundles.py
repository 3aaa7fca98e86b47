"""A support bundle gives back what was said, whoever gathered it and however it is packed."""

import io
import os
import tarfile
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.errors import UsageError
from l0_infra.evidence import NodeEvidence, facts_of, read_bundle, render_bundle, save_bundle
from l0_infra.facts.bundle import ABSENT, HUNG, NOT_ASKED, Answer, parse_bundle
from l0_infra.facts.probe import SOURCES, parse_node

CASE = Path(__file__).parents[2] / "cases/facts/server_two_sockets.bundle"
ANSWERS = {source.name: ABSENT for source in SOURCES} | dict(parse_bundle(CASE.read_text()))
NPUS = (
    "| npu-smi 24.1.0   Version: 24.1.0 |\n| 0     910B3     | OK    | 90.0   41    0 / 0  |\n"
    "| 0               | 0000:C1:00.0  | 0     0    / 0   3000 / 65536  |\n"
)


def evidence(name: str = "gpu01", **changes: Answer) -> NodeEvidence:
    return NodeEvidence(name=name, probed_at=1_800_000_000.0, answers=ANSWERS | changes, files={})


def test_facts_from_a_bundle_are_those_of_the_look(tmp_path: Path) -> None:
    save_bundle(tmp_path / "case.tar.gz", [evidence()])
    (node,) = read_bundle(tmp_path / "case.tar.gz")
    live = msgspec.structs.replace(parse_node(ANSWERS, 1_800_000_000.0), node="gpu01")
    assert facts_of(node) == live


def test_how_a_source_ended_is_kept(tmp_path: Path) -> None:
    failed = Answer(end="exit", code=9, out="half", err="no device")
    asked = evidence(**{"nvidia-smi-query-gpu.csv": failed, "npu-smi-info.txt": HUNG})
    save_bundle(tmp_path / "case.tar.gz", [asked])
    (node,) = read_bundle(tmp_path / "case.tar.gz")
    assert node.answers["nvidia-smi-query-gpu.csv"] == failed
    assert node.answers["npu-smi-info.txt"].end == "hung"


def test_secrets_are_not_kept(tmp_path: Path) -> None:
    said = Answer(end="exit", code=0, out="vm password=hunter22", err="token: hunter22")
    content = render_bundle([evidence(**{"uname.txt": said})])
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        texts = [archive.extractfile(member) for member in archive]
        assert all(b"hunter22" not in text.read() for text in texts if text)


def test_an_archive_is_for_its_owner_and_the_same_each_time(tmp_path: Path) -> None:
    save_bundle(tmp_path / "case.tar.gz", [evidence()])
    first = (tmp_path / "case.tar.gz").read_bytes()
    save_bundle(tmp_path / "case.tar.gz", [evidence()])
    assert (tmp_path / "case.tar.gz").stat().st_mode & 0o777 == 0o600
    assert len(first) == len((tmp_path / "case.tar.gz").read_bytes())


def test_nothing_but_a_bundle_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("three years")
    with pytest.raises(UsageError, match="no support bundle"):
        save_bundle(tmp_path / "thesis.txt", [evidence()])
    assert (tmp_path / "thesis.txt").read_text() == "three years"


def test_a_folder_gathered_by_hand_is_read(tmp_path: Path) -> None:
    (tmp_path / "npu-smi-info.txt").write_text(NPUS.replace("\n", "\r\n"))
    (node,) = read_bundle(tmp_path)
    assert node.answers["uname.txt"] == NOT_ASKED
    (npu,) = facts_of(node).accelerators
    assert (npu.model, npu.pci) == ("910B3", "0000:c1:00.0")


def test_a_single_file_is_a_bundle_too(tmp_path: Path) -> None:
    (tmp_path / "npu-smi-info.txt").write_text(NPUS)
    (node,) = read_bundle(tmp_path / "npu-smi-info.txt")
    assert [one.vendor for one in facts_of(node).accelerators] == ["ascend"]


@pytest.mark.parametrize("kind", ["w", "w:gz", "w:xz", "w:bz2"])
def test_each_folder_of_an_archive_is_a_node(tmp_path: Path, kind: str) -> None:
    with tarfile.open(tmp_path / "all.tar", kind) as archive:  # type: ignore[call-overload]
        for name in ("gpu10", "gpu2"):
            member = tarfile.TarInfo(f"./case/{name}/npu-smi-info.txt")
            member.size = len(NPUS)
            archive.addfile(member, io.BytesIO(NPUS.encode()))
    assert [node.name for node in read_bundle(tmp_path / "all.tar")] == ["gpu2", "gpu10"]


@pytest.mark.parametrize("above", ["", "gpu7/"], ids=["one node", "a node of several"])
def test_folders_that_sort_files_by_kind_are_no_nodes(tmp_path: Path, above: str) -> None:
    for name, text in (
        (f"{above}NPU/npu-smi-info.txt", NPUS),
        (f"{above}var/log/dmesg.txt", "Linux version 6\n"),
    ):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    if above:
        (tmp_path / "gpu8").mkdir()
        (tmp_path / "gpu8/npu-smi-info.txt").write_text(NPUS)
    first, *others = read_bundle(tmp_path)
    assert [node.name for node in (first, *others)] == (["gpu7", "gpu8"] if above else [tmp_path.name])
    assert first.files.keys() == {"npu-smi-info.txt", "kernel.log"}


def test_a_node_may_be_called_what_it_likes(tmp_path: Path) -> None:
    save_bundle(tmp_path / "case.tar.gz", [evidence("logs"), evidence("gpu01")])
    assert [node.name for node in read_bundle(tmp_path / "case.tar.gz")] == ["gpu01", "logs"]


def test_what_is_not_known_is_told(tmp_path: Path) -> None:
    (tmp_path / "npu-smi-info.txt").write_text(NPUS)
    (tmp_path / "notes.md").write_text("it broke on Monday")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "uname.txt").symlink_to("/etc/shadow")
    (node,) = read_bundle(tmp_path)
    assert {file.path for file in node.unused} == {"notes.md", "pipe", "uname.txt"}
    assert node.answers["uname.txt"] == NOT_ASKED


@pytest.mark.parametrize(("content", "words"), [({}, "no files"), ({"a.txt": "b"}, "1 unknown file: a.txt")])
def test_what_is_no_bundle_is_refused(tmp_path: Path, content: dict[str, str], words: str) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=words):
        read_bundle(tmp_path)


def test_of_an_archive_that_is_cut_off_the_rest_is_read_and_that_is_told(tmp_path: Path) -> None:
    noise = Answer(end="exit", code=0, out=os.urandom(200_000).hex())
    whole = render_bundle([evidence(**{"rocm-smi.json": noise})])
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    (node,) = read_bundle(tmp_path / "cut.tar.gz")
    assert facts_of(node).hostname and node.unused[0].why.startswith("cut off")


def test_a_file_that_only_calls_itself_an_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.tar.gz").write_bytes(b"nothing of the kind")
    with pytest.raises(UsageError, match="no archive that can be read"):
        read_bundle(tmp_path / "bad.tar.gz")


def test_a_damaged_note_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "bundle.json").write_text("{")
    (tmp_path / "npu-smi-info.txt").write_text(NPUS)
    (node,) = read_bundle(tmp_path)
    assert len(facts_of(node).accelerators) == 1
