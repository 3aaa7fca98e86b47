"""What tells one model's checkpoints from another's."""

import hashlib

import msgspec

from l3_modeltools.schemas import Architecture

__all__ = ["architecture_sha256"]


def architecture_sha256(architecture: Architecture) -> str:
    """Hash the document's content, in hexadecimal, whatever the order and layout of its file."""
    return hashlib.sha256(msgspec.json.encode(architecture, order="sorted")).hexdigest()
