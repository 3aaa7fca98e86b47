"""When a step counts as the same: its key, and the digests that tell which of its inputs changed."""

import hashlib
from collections.abc import Mapping

import msgspec

from l0_infra.schemas import ApplyRole, Step

__all__ = ["changes_between", "parts_of", "role_key"]

ROLE = "the role"
"""Stands among the digests for the role's folder, where no variable can stand."""

DIGITS = 12


def role_key(node: str, sha256: str, variables: Mapping[str, str]) -> str:
    """Return the idempotence key of a role on a node: its folder's hash and its variables, whatever their order."""
    return f"{node}:{role_digest(sha256, variables)}"


def role_digest(sha256: str, variables: Mapping[str, str]) -> str:
    """Return the part of a role's key that all nodes with the same variables have alike."""
    digest = hashlib.sha256(sha256.encode())
    for name in sorted(variables):
        digest.update(f"\0{name}\0{variables[name]}".encode())
    return digest.hexdigest()


def parts_of(step: Step, sha256: str) -> str:
    """Return, as JSON, digests of what went into a step's key; of a step that is no role: nothing."""
    if not isinstance(step.action, ApplyRole):
        return "{}"
    digests = {name: _digest(text) for name, text in step.action.variables.items()}
    return msgspec.json.encode({ROLE: _digest(sha256), **digests}, order="sorted").decode()


def changes_between(before: str, now: str) -> tuple[str, ...]:
    """Name what went into a key and is another now."""
    old, new = (msgspec.json.decode(text, type=dict[str, str]) for text in (before, now))
    return tuple(name for name in sorted({*old, *new}) if old.get(name) != new.get(name))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
