"""What tells one model's checkpoints from another's."""

import hashlib

import msgspec

from l3_modeltools.schemas import Architecture

__all__ = ["architecture_sha256"]

NOT_MADE_OF = frozenset({"name", "sources"})


def architecture_sha256(architecture: Architecture) -> str:
    """Hash what the model is made of, in hexadecimal: neither its name nor the layout of its file.

    Fields at their default count as absent, so that a field added to the document later makes no model another one.
    """
    made_of = {name: value for name, value in _told(architecture).items() if name not in NOT_MADE_OF}
    return hashlib.sha256(msgspec.json.encode(made_of, order="sorted")).hexdigest()


def _told(part: msgspec.Struct) -> dict[str, object]:
    """Return the fields of a part that differ from their defaults, and its tag."""
    told: dict[str, object] = {"type": part.__struct_config__.tag}
    for field in msgspec.structs.fields(part):
        value = getattr(part, field.name)
        if value != field.default:
            told[field.name] = _told(value) if isinstance(value, msgspec.Struct) else value
    return told
