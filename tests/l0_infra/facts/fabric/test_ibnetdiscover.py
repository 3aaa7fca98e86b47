"""What `ibnetdiscover` prints (tests/cases/fabric_maps/*.txt), which switches that is, and how one node is asked."""

from pathlib import Path

import msgspec
import pytest

from l0_infra import probe_fabric_map
from l0_infra.core.exec import Answer, Command, ScriptedRunner
from l0_infra.facts.fabric.ibnetdiscover import parse_ibnetdiscover
from l0_infra.schemas import FabricMap, Unread

FOLDER = Path(__file__).parents[3] / "cases/fabric_maps"
CASES = sorted(FOLDER.glob("*.txt"))
LEAF_AND_SPINE = FOLDER / "leaf_and_spine.txt"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    wanted = msgspec.json.decode(path.with_suffix(".json").read_bytes(), type=FabricMap)
    assert parse_ibnetdiscover(path.read_text()) == wanted


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_line_ends_of_windows_mean_the_same(path: Path) -> None:
    text = path.read_text()
    assert parse_ibnetdiscover(text.replace("\n", "\r\n")) == parse_ibnetdiscover(text)


def bundle(how: str, text: str) -> bytes:
    lines = "".join(f"|{line}\n" for line in text.splitlines())
    return f"@ ibnetdiscover.txt {how}\n{lines}@ all told\n".encode()


def asked(answer: bytes) -> tuple[FabricMap | Unread, list[str]]:
    scripts: list[str] = []

    def tell(command: Command) -> Answer:
        scripts.append((command.stdin or b"").decode())
        return Answer(stdout=answer)

    runner = ScriptedRunner("n1").answer(lambda command: True, tell)
    return probe_fabric_map(runner, "mlx5_2", 1), scripts


def test_one_node_is_asked_once_by_the_port_of_the_fabric_that_is_meant() -> None:
    found, (script,) = asked(bundle("0", LEAF_AND_SPINE.read_text()))
    assert found == parse_ibnetdiscover(LEAF_AND_SPINE.read_text())
    assert "ibnetdiscover -C mlx5_2 -P 1\n" in script


@pytest.mark.parametrize(
    ("how", "text", "reason", "detail"),
    [
        ("absent", "", "failed", "it is not installed"),
        ("hung", "", "hung", "no answer in time"),
        ("1", "ibwarn: [7] mad_rpc_open_port: can't open UMAD port (mlx5_2:1)", "failed", "UMAD port"),
        ("1", "src/ibnetdisc.c:780; can't open /dev/infiniband/umad0: Permission denied", "denied", "umad0"),
        ("0", "#\n# Topology file: generated on Tue Mar  3\n#\n", "garbled", "no switch"),
    ],
)
def test_why_a_fabric_cannot_be_read_is_told(how: str, text: str, reason: str, detail: str) -> None:
    found, _ = asked(bundle(how, text))
    assert isinstance(found, Unread)
    assert (found.what, found.reason) == ("ibnetdiscover", reason)
    assert detail in found.detail
