"""The catalogue is read from its files: those beside this module, and a person's own."""

from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from l0_infra.core.documents import read_document
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
    own = read_document(extra, expect=ErrorCatalogue).errors if extra is not None and extra.exists() else ()
    names = frozenset(error.name for error in own)
    return Catalogue((*own, *(error for error in _shipped() if error.name not in names)), own=names)


@cache
def _shipped() -> tuple[KnownError, ...]:
    with as_file(files(__package__) / "known") as folder:
        return tuple(
            error
            for path in sorted(folder.glob("*.yaml"))
            for error in read_document(path, expect=ErrorCatalogue).errors
        )
