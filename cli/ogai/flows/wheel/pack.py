"""Files become a wheel, the same bytes from the same files on any machine; pure.

Format: the binary distribution format of the Python Packaging User Guide (PEP 427).
"""

import base64
import hashlib
import io
from collections.abc import Mapping
from zipfile import ZIP_STORED, ZipFile, ZipInfo

__all__ = ["content_digest", "pack_wheel", "wheel_name"]

TAG = "py3-none-any"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file can say."""

UNIX = 3
MODE = 0o100644 << 16


def wheel_name(name: str, version: str) -> str:
    """Return the file name that pip demands."""
    return f"{name}-{version}-{TAG}.whl"


def content_digest(files: Mapping[str, bytes]) -> str:
    """Return one digest of names and contents, whatever their order."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
    return digest.hexdigest()


def pack_wheel(files: Mapping[str, bytes], about: str) -> bytes:
    """Pack files, of which those below the folder `about` (`NAME-VERSION.dist-info`) tell of the others.

    Nothing is compressed, for what a compressor makes of it differs between its versions.
    """
    told = f"Wheel-Version: 1.0\nGenerator: ogai\nRoot-Is-Purelib: true\nTag: {TAG}\n"
    whole = {**files, f"{about}/WHEEL": told.encode()}
    record = "".join(f"{name},sha256={_seal(whole[name])},{len(whole[name])}\n" for name in sorted(whole))
    whole[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_STORED) as archive:
        for name in sorted(whole, key=lambda name: (name.startswith(about), name)):
            archive.writestr(_entry(name), whole[name])
    return packed.getvalue()


def _entry(name: str) -> ZipInfo:
    entry = ZipInfo(name, date_time=EPOCH)
    entry.create_system, entry.external_attr = UNIX, MODE
    return entry


def _seal(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
