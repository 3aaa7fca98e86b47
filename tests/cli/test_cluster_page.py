"""docs/cluster.md: its documents can be read, its table is that of the declaration, its faults are refused so."""

import re
from pathlib import Path

import pytest

from l0_infra.core.documents import list_fields, parse_document
from l0_infra.core.errors import DocumentError
from l1_podsys import cluster_members
from l1_podsys.schemas import Cluster

PAGE = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text("utf-8")
EXAMPLES = re.findall(r"```yaml\n(kind: cluster\n.*?)```", PAGE, re.DOTALL)


def table() -> str:
    """Write the table of fields as the page must have it."""
    rows = [
        f"| `{line.path}` | {line.default and f'`{line.default}`'} | {line.description.replace('|', '&#124;')} |"
        for line in list_fields(Cluster)
        if line.path not in ("kind", "version")
    ]
    return "\n".join(("| field | default | what it says |", "|---|---|---|", *rows)) + "\n"


def test_the_table_of_fields_is_that_of_the_declaration() -> None:
    assert PAGE.split("<!-- fields -->\n")[1] == table()


def test_the_examples_are_sound_and_of_the_sizes_they_say() -> None:
    clusters = [parse_document(text, source="example", expect=Cluster) for text in EXAMPLES]
    assert [len(cluster_members(cluster)) for cluster in clusters] == [4, 1004]


FAULTS = re.findall(r"^\| `(.+?)` → `(.+?)` \| (.+?) \|$", PAGE, re.MULTILINE)


def test_there_are_faults_to_try() -> None:
    assert len(FAULTS) >= 10


@pytest.mark.parametrize(("old", "new", "told"), FAULTS, ids=[told for _, _, told in FAULTS])
def test_what_the_page_says_is_refused_is_refused_in_these_words(old: str, new: str, told: str) -> None:
    text = EXAMPLES[1]
    assert text.count(old) == 1, old
    with pytest.raises(DocumentError) as caught:
        parse_document(text.replace(old, new), source="pod.yaml", expect=Cluster)
    words = [fault.found.replace("`", "") for fault in caught.value.faults]
    assert told.replace("`", "") in words, words
