"""`ogai strategy explain`, as a person calls it: pictures, derivations, a page, and what is refused."""

import json
from pathlib import Path

import pytest

from l0_infra.core.documents import render_document
from l3_modeltools import preset
from l3_modeltools.schemas import Degrees, Pipeline, Strategy, Workload, balanced_offset
from ogai.main import main
from tests.support.html import Seen

MODEL = preset("llama-3.1-8b")
ON = ("--device", "h100-sxm-80", "--framework", "megatron")


def strategy(folder: Path, *, pp: int = 4, workload: bool = True) -> str:
    made_for = Workload(architecture=MODEL, sequence_length=4096, global_batch_size=32)
    document = Strategy(
        degrees=Degrees(dp=2, tp=2, pp=pp, sequence_parallel=True),
        pipeline=Pipeline(offset=balanced_offset(MODEL.layers, pp, 1)),
        zero_stage=1,
        workload=made_for if workload else None,
    )
    path = folder / "strategy.yaml"
    path.write_text(render_document(document))
    return str(path)


def test_the_screen_has_a_line_for_each_rank_and_each_stage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["strategy", "explain", strategy(tmp_path), *ON]) == 0
    lines = capsys.readouterr().out.splitlines()
    ranks = [line for line in lines if line.startswith("rank ")]
    assert len(ranks) == 4 and all(set("FfBb.") >= set(line.split()[2]) for line in ranks)
    assert all(line.endswith("idle") for line in ranks)
    assert sum(line.startswith("stage ") for line in lines) == 4
    assert max(map(len, ranks)) <= 80
    assert any(line.startswith("products ") for line in lines)
    assert any(line.startswith("Bytes of stage 0, the fullest") for line in lines)


@pytest.mark.parametrize(
    ("device", "told"), [("h100-sxm-80", "fits: "), ("l4", "does not fit: ")], ids=["fits", "too much"]
)
def test_whether_it_fits_is_said_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], device: str, told: str
) -> None:
    made = strategy(tmp_path, pp=2)
    assert main(["strategy", "explain", made, "--device", device, "--framework", "megatron"]) == 0
    printed = capsys.readouterr().out
    (memory,) = (line for line in printed.splitlines() if line.startswith("memory "))
    assert "on stage 0" in memory and told in memory
    assert (">  " in printed) == ("not" in told)


def test_as_a_document_every_term_has_its_formula(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategy", "explain", strategy(tmp_path), *ON, "-o", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["devices"] == 16 and len(found["stages"]) == 4 and len(found["ranks"]) == 4
    assert sum(part["value"] for part in found["step"]["parts"]) == pytest.approx(found["step"]["value"])
    assert all(part["formula"] for part in found["step"]["parts"])
    assert found["ranks"][0]["held"] == 4 and found["ranks"][3]["held"] == 1


def test_it_is_priced_on_as_many_devices_as_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    step = {}
    for devices in (16, 4096):
        assert (
            main(["strategy", "explain", strategy(tmp_path), *ON, "--devices", f"{devices}", "-o", "json"])
            == 0
        )
        found = json.loads(capsys.readouterr().out)
        assert found["devices"] == devices
        step[devices] = found["step"]["value"]
    assert step[4096] > step[16]  # one of more nodes is slower
    assert main(["strategy", "explain", strategy(tmp_path), *ON, "--devices", "8"]) == 3
    assert "8 accelerators for a strategy of 16 ranks" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--term", "bubble"), ("bubble = ", "n_0 * through_0", ") / vp", "arXiv:2104.04473")),
        (("--term", "dense_p1_weight"), ("dense_p1_weight = ", "tail**2", "calibration: matmul_tail")),
        (
            ("--term", "activations", "--stage", "1"),
            ("activations = ", "= flying * kept", "in flight on the stage"),
        ),
    ],
)
def test_one_number_is_derived(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: tuple[str, ...]
) -> None:
    assert main(["strategy", "explain", strategy(tmp_path), *ON, *words]) == 0
    printed = capsys.readouterr().out
    assert all(word in printed for word in told)
    assert "rank 0" not in printed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--term", "bubbles"), "expected one of products, attention"),
        (("--stage", "4"), "expected a pipeline stage from 0 to 3"),
        (("--device", "h101"), "no such data sheet"),
    ],
)
def test_what_there_is_not_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    assert main(["strategy", "explain", strategy(tmp_path), *ON, *words]) == 2
    assert told in capsys.readouterr().err


def test_a_strategy_for_no_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategy", "explain", strategy(tmp_path, workload=False), *ON]) == 2
    assert "without a workload" in capsys.readouterr().err


def test_a_page_has_both_pictures_and_needs_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2", reason="needs the extra `report`")
    page = tmp_path / "plan.html"
    assert (
        main(["strategy", "explain", strategy(tmp_path), *ON, "--term", "bubble", "--html", str(page)]) == 0
    )
    html = page.read_text()
    seen = Seen(html)
    assert seen.loads == [] and "http" not in seen.code
    told = {
        value.partition(":")[0]
        for tag, name, value in seen.attributes
        if (tag, name) == ("svg", "aria-label")
    }
    assert told == {f"{what} {number}" for what in ("rank", "stage") for number in range(4)}
    turns, stages = (json.loads(value) for _, name, value in seen.attributes if name == "data-lanes")
    assert [len(lane) // 3 for lane in turns["lanes"]] == [2 * 16] * 4
    assert turns["titles"][0] == "forward, micro batch 0" and stages["titles"][0].startswith("weights: ")
    assert "= (n_0 * through_0) / vp" in seen.text and "arXiv:2104.04473, section 2.2" in seen.text
    mine = tmp_path / "mine.html"
    mine.write_text("my own words")
    assert main(["strategy", "explain", strategy(tmp_path), *ON, "--html", str(mine)]) == 2
    assert mine.read_text() == "my own words"


def test_a_page_of_very_many_turns_has_the_first_and_the_last_ranks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2", reason="needs the extra `report`")
    page = tmp_path / "plan.html"
    document = Path(strategy(tmp_path, pp=8))
    document.write_text(document.read_text().replace("global_batch_size: 32", "global_batch_size: 10000"))
    assert main(["strategy", "explain", str(document), *ON, "--html", str(page)]) == 0
    seen = Seen(page.read_text())
    ranks = [
        value.partition(":")[0]
        for tag, name, value in seen.attributes
        if (tag, name) == ("svg", "aria-label") and value.startswith("rank")
    ]
    assert ranks == ["rank 0", "rank 1", "rank 6", "rank 7"]
    assert "Of 8 ranks, the first and the last ones" in seen.text
