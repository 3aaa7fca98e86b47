"""Documents that people really get wrong: every fault at once, each with its line, its column and the mend.

`tests/cases/documents/NAME.yaml` is read; `NAME.expected` holds a line for each fault:
`line:column: found …; expected …` and, behind ` | `, the hint.
"""

from pathlib import Path

import pytest

from l0_infra.core.documents import Document, read_document
from l0_infra.core.errors import DocumentError
from l2_scheduler.schemas import Job, Queues
from tests.l0_infra.core.documents.site import Site

CASES = Path(__file__).parents[3] / "cases" / "documents"
KINDS: dict[str, type[Document]] = {"job": Job, "queues": Queues, "site": Site}


@pytest.mark.parametrize("path", sorted(CASES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_fault_is_told_with_its_place(path: Path) -> None:
    with pytest.raises(DocumentError) as caught:
        read_document(path, kinds=KINDS)
    assert told(caught.value, path) == path.with_suffix(".expected").read_text(encoding="utf-8")


def told(error: DocumentError, path: Path) -> str:
    """Write the faults as a `.expected` file has them."""
    lines = [f"{fault} | {fault.hint}" if fault.hint else str(fault) for fault in error.faults]
    return "".join(f"{line.removeprefix(f'{path}:')}\n" for line in lines)
