"""The catalogue is read from its files: those beside this module, and a person's own."""

from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from l0_infra.core.documents import read_document
from l0_infra.core.errors import DocumentError, Fault
from l3_modeltools.resilience.catalogue.match import Catalogue
from l3_modeltools.schemas import ErrorCatalogue, KnownError

__all__ = ["OWN_ERRORS", "load_catalogue"]

OWN_ERRORS = "errors.yaml"
"""In OGAI_HOME: errors that a person taught the catalogue."""


def load_catalogue(extra: Path | None = None) -> Catalogue:
    """Read what ogai knows, and the `error_catalogue` in the file `extra`, if there is one.

    In one line an entry of `extra` counts before all others; it replaces the one of its name.

    Raises DocumentError for a file that is there and is no sound catalogue.
    """
    own = _own(extra) if extra is not None and extra.exists() else ()
    names = frozenset(error.name for error in own)
    return Catalogue((*own, *(error for error in _shipped() if error.name not in names)), own=names)


def _own(path: Path) -> tuple[KnownError, ...]:
    if not path.is_file():  # at a FIFO a run would wait for good
        fault = Fault(path=(), where=str(path), found="no regular file", expected="a file that can be read")
        raise DocumentError(str(path), [fault])
    return read_document(path, expect=ErrorCatalogue).errors


@cache
def _shipped() -> tuple[KnownError, ...]:
    with as_file(files(__package__) / "known") as folder:
        return tuple(
            error
            for path in sorted(folder.glob("*.yaml"))
            for error in read_document(path, expect=ErrorCatalogue).errors
        )
