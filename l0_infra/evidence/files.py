"""The files of a support bundle, a folder or an archive, read as of a stranger: nothing is unpacked or followed."""

import os
import re
import stat
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from l0_infra.core.errors import UsageError

__all__ = ["MOST_FILES", "MOST_FILE_BYTES", "BundleFile", "list_files"]

MOST_FILES = 200_000
MOST_FILE_BYTES = 64 * 2**20
MOST_BYTES = 8 * 2**30
DEPTH = 4
ARCHIVE = re.compile(r"\.(tar(\.[a-z0-9]+)?|tgz|tbz2?|txz)$")
LATEST = 253_402_300_799.0
"""The end of the year 9999; an archive may claim any time, or none that is a number."""
PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")
"""How files begin that gzip, bzip2, xz, zstd and zip made."""
ENCODINGS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
"""Marks that editors put before a text that is not plain UTF-8."""
ARCHIVE_FAULTS = (tarfile.TarError, EOFError, zlib.error, ValueError)


@dataclass(frozen=True, kw_only=True, slots=True)
class BundleFile:
    """One regular file; `text` is None when `trouble` says why it was not read."""

    path: str
    text: str | None
    changed_at: float
    trouble: str = ""


def list_files(bundle: Path) -> Iterator[BundleFile]:
    """Yield the files below a folder, or in a tar archive of any compression; any other file is the only one.

    Raises UsageError when `bundle` is a damaged archive, or neither file nor folder; OSError when it cannot be read.
    """
    if bundle.is_dir():
        yield from _in_folder(bundle)
    elif not stat.S_ISREG(bundle.stat().st_mode):
        raise UsageError(str(bundle), found="no regular file", expected="a folder or an archive")
    elif ARCHIVE.search(bundle.name) or tarfile.is_tarfile(bundle):
        yield from _in_archive(bundle)
    else:
        yield _file(bundle.parent, bundle.name)


def _in_folder(bundle: Path) -> Iterator[BundleFile]:
    for folder, folders, names in os.walk(bundle):
        where = Path(folder).relative_to(bundle)
        folders[:] = sorted(folders) if len(where.parts) < DEPTH else []
        for name in sorted(names):
            yield _file(bundle, str(where / name))


def _file(bundle: Path, path: str) -> BundleFile:
    try:
        descriptor = os.open(bundle / path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        return BundleFile(path=path, text=None, changed_at=0.0, trouble=error.strerror or str(error))
    with os.fdopen(descriptor, "rb") as stream:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            return BundleFile(path=path, text=None, changed_at=0.0, trouble="no regular file")
        return _read(path, stream, state.st_size, state.st_mtime)


def _read(path: str, stream: IO[bytes], size: int, changed_at: float) -> BundleFile:
    if size > MOST_FILE_BYTES:
        trouble = f"{size} bytes, more than {MOST_FILE_BYTES}"
        return BundleFile(path=path, text=None, changed_at=0.0, trouble=trouble)
    at = changed_at if 0 <= changed_at <= LATEST else 0.0
    content = stream.read(MOST_FILE_BYTES)
    if content.startswith(PACKED):
        return BundleFile(path=path, text=None, changed_at=at, trouble="it is compressed: unpack it")
    encoding = next((name for mark, name in ENCODINGS if content.startswith(mark)), "utf-8")
    return BundleFile(path=path, text=content.decode(encoding, "replace"), changed_at=at)


def _in_archive(bundle: Path) -> Iterator[BundleFile]:
    """Yield the members that can be read, and at last, of an archive that is damaged behind them, that it is."""
    read_any = False
    try:
        with tarfile.open(bundle, "r:*") as archive:
            for file in _members(archive):
                read_any = True
                yield file
    except ARCHIVE_FAULTS as error:
        if not read_any:
            raise UsageError(
                str(bundle),
                found=f"no archive that can be read ({error})",
                expected="a folder, or a tar archive (plain, gzip, bzip2 or xz), of files with what tools print",
            ) from error
        yield BundleFile(path=bundle.name, text=None, changed_at=0.0, trouble=f"cut off: {error}")


def _members(archive: tarfile.TarFile) -> Iterator[BundleFile]:
    count, total = 0, 0
    for member in archive:
        if not member.isreg():
            continue
        count, total = count + 1, total + member.size
        if count > MOST_FILES or total > MOST_BYTES:
            raise ValueError(f"more than {MOST_FILES} files or {MOST_BYTES} bytes")
        stream = archive.extractfile(member)
        if stream is not None:
            yield _read(member.name.removeprefix("./"), stream, member.size, float(member.mtime))
