"""Data sets of this person, free of the command line: `import ogai; ogai.data.prepare("corpus.yaml")`."""

from l3_modeltools import Decoded, Inspection, Prepared, Progress, StoredDataset, Verification
from l3_modeltools.schemas import Corpus, Dataset
from ogai.flows.data.look import damaged, decode, inspect, poll, verify
from ogai.flows.data.prepare import prepare

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
