"""Data sets of this person: `from ogai.data import prepare`."""

from ogai.flows.data import (
    Corpus,
    Dataset,
    Decoded,
    Inspection,
    Prepared,
    Progress,
    StoredDataset,
    Verification,
    damaged,
    decode,
    inspect,
    poll,
    prepare,
    verify,
)

__all__ = [
    "Corpus",
    "Dataset",
    "Decoded",
    "Inspection",
    "Prepared",
    "Progress",
    "StoredDataset",
    "Verification",
    "damaged",
    "decode",
    "inspect",
    "poll",
    "prepare",
    "verify",
]
