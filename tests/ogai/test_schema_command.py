"""`ogai schema`, and that the committed schemas and examples are what it says."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from l0_infra.core.documents import Document, parse_document, read_document, render_example, render_schema
from ogai.flows.kinds import KINDS, layer_of, schema_path
from ogai.main import main

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.yaml"))
EVERY_KIND = pytest.mark.parametrize("declaration", KINDS.values(), ids=KINDS)


@EVERY_KIND
def test_the_committed_schema_is_the_declared_one(declaration: type[Document]) -> None:
    assert schema_path(declaration).read_text(encoding="utf-8") == render_schema(declaration), (
        "run `ogai schema generate`"
    )


@EVERY_KIND
def test_the_example_of_every_kind_checks(declaration: type[Document]) -> None:
    example = render_example(declaration, schema="x.json")
    assert isinstance(parse_document(example, source="example", kinds=KINDS), declaration)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_file_checks_here_and_in_an_editor(path: Path) -> None:
    document = read_document(path, kinds=KINDS)
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    schema = (path.parent / first.removeprefix("# yaml-language-server: $schema=")).resolve()
    assert schema == schema_path(type(document)).resolve()
    jsonschema.validate(
        yaml.safe_load(path.read_text(encoding="utf-8")), json.loads(schema.read_text("utf-8"))
    )


def test_examples_are_there() -> None:
    assert {"hello", "word_count", "train_gpu"} <= {path.stem for path in EXAMPLES}


def test_kinds_are_found_with_their_owners() -> None:
    assert {layer_of(KINDS[kind]) for kind in ("job", "queues", "job_status")} == {"l2_scheduler"}
    assert layer_of(KINDS["cluster_state"]) == "l1_podsys"


def test_list_names_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "list", "-o", "json"]) == 0
    assert [row["kind"] for row in json.loads(capsys.readouterr().out)] == list(KINDS)


def test_show_prints_the_schema_in_three_shapes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "show", "job"]) == 0
    as_json = json.loads(capsys.readouterr().out)
    assert main(["schema", "show", "job", "-o", "yaml"]) == 0
    assert yaml.safe_load(capsys.readouterr().out) == as_json
    assert main(["schema", "show", "job", "-o", "table"]) == 0
    assert "depends_on[].condition" in capsys.readouterr().out


def test_an_unknown_kind_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "example", "jobs"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "found the kind `jobs`" in captured.err
    assert "did you mean `job`?" in captured.err


def test_an_example_can_be_checked_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "example", "job"]) == 0
    path = tmp_path / "job.yaml"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["schema", "check", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: a sound job\n"


def test_check_tells_all_faults_of_all_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "good": "kind: job\nname: a\ncommand: [b]\n",
        "bad": "kind: job\nnam: a\n",
        "worse": "kind:job\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["schema", "check", *(str(tmp_path / name) for name in files)]) == 2
    captured = capsys.readouterr()
    assert captured.out == f"{tmp_path}/good: a sound job\n"
    for place in (
        "bad:1:1: found no `name`",
        "bad:1:1: found no `command`",
        "bad:2:1:",
        "worse:1:1: found `kind:job`",
    ):
        assert f"{tmp_path}/{place}" in captured.err
    assert "Traceback" not in captured.err
