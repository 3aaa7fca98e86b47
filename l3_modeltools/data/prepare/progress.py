"""How far a prepare is, as data: who shows it decides how."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Progress", "Stage"]

Stage = Literal["read", "deduplicate", "tokenizer", "encode", "write"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """One moment of one stage; bytes are of the files read, documents and tokens are of this stage."""

    stage: Stage
    done_bytes: int
    total_bytes: int
    documents: int = 0
    tokens: int = 0
