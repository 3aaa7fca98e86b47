"""Lists of hosts as people have them: each case beside what comes of it, as a document and notes, or as faults."""

from pathlib import Path

import pytest

from l0_infra.core.documents import parse_document, render_brief
from l0_infra.core.errors import DocumentError
from l1_podsys import ListForm, assemble, parse_list
from l1_podsys.schemas import Cluster

CASES = Path(__file__).parents[2] / "cases" / "inventory"
FORMS: dict[str, ListForm] = {
    ".ini": "ansible-inventory",
    ".yaml": "ansible-inventory",
    ".hosts": "hosts",
    ".csv": "csv",
}
LISTS = sorted(path for path in CASES.iterdir() if path.suffix in FORMS)


def told(path: Path) -> str:
    """Read a list, and write all that is said of it."""
    text = path.read_text("utf-8")
    try:
        imported = assemble(parse_list(text, FORMS[path.suffix], path.name), name="pod")
    except DocumentError as error:
        return "".join(f"{fault}\n" + f"    {fault.hint}\n" * bool(fault.hint) for fault in error.faults)
    document = render_brief(imported.cluster)
    assert parse_document(document, source="x", expect=Cluster) == imported.cluster
    return document + "".join(f"# {note}\n" for note in imported.notes)


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_a_list_becomes_what_its_case_says(path: Path) -> None:
    assert told(path) == path.with_name(f"{path.name}.told").read_text("utf-8")


def test_no_secret_is_told() -> None:
    assert all(word not in told(path) for path in LISTS for word in ("s3cret", "hunter2"))
