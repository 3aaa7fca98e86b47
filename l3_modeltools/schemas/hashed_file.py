"""A file of a manifest: its name within a directory, which must stay inside it, its size and its hash."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Bytes, Part, Sha256, Text, repeated
from l0_infra.core.errors import Fault, FieldPath

__all__ = ["HashedFile", "manifest_faults", "missing_shards"]

NUMBERED = re.compile(r"(.*)-([0-9]{5})-of-([0-9]{5})(\..+)", re.DOTALL)
"""How Hugging Face numbers the shards of one set: `model-00001-of-00004.safetensors`."""


class HashedFile(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file, by its content."""

    name: Annotated[Text, Meta(description="Path within the directory of the manifest, with `/`.")]
    size_bytes: Annotated[Bytes, Meta(description="Size.")]
    sha256: Annotated[Sha256, Meta(description="SHA-256 of the content, in hexadecimal.")]

    def faults(self) -> Iterator[Fault]:
        """Yield a name that could lead out of the directory or that no file can have."""
        steps = self.name.split("/")
        unsafe = any(step in ("", ".", "..") for step in steps) or re.match("[A-Za-z]:", self.name)
        if unsafe or "\\" in self.name or not self.name.isprintable():
            expected = "a relative path of plain names, without `..`, `\\` and control characters"
            yield Fault(path=("name",), found=f"`{_printable(self.name)}`", expected=expected)


def manifest_faults(field: str, files: Sequence[HashedFile]) -> Iterator[Fault]:
    """Yield names listed twice, and the gaps in numbered sets; `field` holds the list."""
    yield from repeated(field, "name", [file.name for file in files])
    yield from missing_shards((field,), [file.name for file in files])


def missing_shards(path: FieldPath, names: Sequence[str]) -> Iterator[Fault]:
    """Yield one fault for each numbered set of which a shard is not among `names`."""
    sets: dict[tuple[str, str, str], set[int]] = {}
    for name in names:
        if match := NUMBERED.fullmatch(name):
            sets.setdefault((match[1], match[3], match[4]), set()).add(int(match[2]))
    for (stem, total, ending), present in sets.items():
        missing = [number for number in range(1, int(total) + 1) if number not in present]
        if missing:
            first = f"{stem}-{missing[0]:05}-of-{total}{ending}"
            others = f" and {len(missing) - 1} more" if missing[1:] else ""
            found = f"{len(present)} of {int(total)} shards: no `{_printable(first)}`{others}"
            yield Fault(path=path, found=found, expected="every shard of the set")


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
