"""A training as a person hands it over: a document or its file, and where its relative paths begin."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from l0_infra.core.documents import place_faults, read_document
from l0_infra.core.errors import DocumentError, Fault, UnsatisfiableError
from l3_modeltools.schemas import Train

__all__ = ["Wish", "read_wish"]

OF_THE_TRAINING = "train"
"""What a fault found by planning says it is a fault of."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """A training, the folder its paths are relative to, and the file and settings it was read from."""

    train: Train
    base: Path
    file: Path | None = None
    settings: tuple[str, ...] = ()

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Tell what comes up within, faults and fields that cannot be had, at its lines of the file."""
        try:
            yield
        except DocumentError as error:
            if self.file is None or error.document != OF_THE_TRAINING:
                raise
            raise place_faults(self.file, error.faults, settings=self.settings) from error
        except UnsatisfiableError as error:
            path = tuple(error.where.split("."))
            if self.file is None or path[0] not in Train.__struct_fields__:
                raise
            fault = Fault(path=path, found=error.found, expected=error.expected)
            (placed,) = place_faults(self.file, [fault], settings=self.settings).faults
            raise UnsatisfiableError(
                f"{placed.where}: {error.where}" if placed.where else error.where,
                found=error.found,
                expected=error.expected,
                hint=error.hint,
            ) from error


def read_wish(
    train: Train | Path | str,
    *,
    name: str | None = None,
    settings: Sequence[str] = (),
    base: Path | None = None,
) -> Wish:
    """Read a training from its file, or take it as it is; `name` replaces its name.

    Paths in it are relative to its file, or to `base` (null: the current directory) where there is none. Raises
    DocumentError with all faults.
    """
    typed = [*settings, *([] if name is None else [f"name={name}"])]
    if isinstance(train, Train):
        named = train if name is None else msgspec.structs.replace(train, name=name)
        return Wish(train=named, base=base or Path.cwd())
    file = Path("/dev/stdin") if str(train) == "-" else Path(train)
    wish = read_document(file, expect=Train, settings=typed)
    folder = Path.cwd() if str(train) == "-" else file.absolute().parent
    return Wish(train=wish, base=base or folder, file=file, settings=tuple(typed))
