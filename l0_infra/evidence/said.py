"""The nouns of a support bundle: what one node said, and the note that keeps what files cannot."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

from l0_infra.facts.bundle import Answers

__all__ = ["MANIFEST", "Manifest", "NodeEvidence", "Said", "UnusedFile"]

MANIFEST = "bundle.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class UnusedFile:
    """A file of a bundle that no fact was read from, and why."""

    path: str
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeEvidence:
    """What one node said; `probed_at` is in seconds since the epoch."""

    name: str
    probed_at: float
    answers: Answers
    files: Mapping[str, str]
    """Path within the bundle by source, of the sources that a file was found for."""
    unused: tuple[UnusedFile, ...] = ()


class Said(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one source ended; its output lies in the file of its name."""

    end: Literal["exit", "hung", "absent", "not asked"]
    code: int | None = None
    err: str = ""


class Manifest(Struct, frozen=True, kw_only=True):
    """What `bundle.json` keeps beside the files; a bundle gathered by hand has none."""

    node: str
    probed_at: float
    sources: dict[str, Said]
    version: Literal[1] = 1
