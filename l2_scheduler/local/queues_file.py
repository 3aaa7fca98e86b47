"""The queues a person wrote down for this engine, if any."""

from pathlib import Path

from l0_infra.core.documents import read_document
from l0_infra.core.errors import EngineError
from l2_scheduler.schemas import Queues

__all__ = ["load_queues"]


def load_queues(path: Path) -> Queues:
    """Read `queues.yaml`; without the file there is one queue without limits. Raises DocumentError, EngineError."""
    if path.exists() and not path.is_file():
        raise EngineError(str(path), found="no regular file", expected="a `queues` document, or nothing")
    return read_document(path, expect=Queues) if path.exists() else Queues()
