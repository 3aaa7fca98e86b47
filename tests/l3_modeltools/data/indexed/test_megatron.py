"""Megatron-LM's own reader reads what ogai writes, and ogai reads what its builder writes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from l3_modeltools.data import IndexedReader, IndexedWriter

DOCUMENTS = [[[7, 8], [9]], [[1]], [[65_000], [0, 3], [4, 5]]]
WHOLE = [[token for sequence in document for token in sequence] for document in DOCUMENTS]

SCRIPT = """
import json, os, sys
import numpy, torch
from megatron.core.datasets.indexed_dataset import IndexedDataset, IndexedDatasetBuilder
folder, documents = sys.argv[1], json.loads(sys.argv[2])
for dtype in ("uint16", "int32", "int64"):
    stem = os.path.join(folder, "theirs-" + dtype)
    builder = IndexedDatasetBuilder(stem + ".bin", dtype=getattr(numpy, dtype))
    for sequences in documents:
        flat = torch.tensor([token for sequence in sequences for token in sequence])
        builder.add_document(flat, [len(sequence) for sequence in sequences])
    builder.finalize(stem + ".idx")
for dtype in ("uint16", "int32"):
    for mapped in (True, False):
        data = IndexedDataset(os.path.join(folder, "ours-" + dtype), mmap=mapped)
        window = data.get(2, offset=1, length=3).tolist()
        print(json.dumps([[data[i].tolist() for i in range(len(data))], data.document_indices.tolist(), window]))
"""


class Exchange(NamedTuple):
    """A folder with files of both, and what Megatron-LM read of ours."""

    folder: Path
    read: list[object]


@pytest.fixture(scope="module")
def exchange(tmp_path_factory: pytest.TempPathFactory) -> Exchange:
    """One process for all: megatron-core takes ten seconds to import, and warns of much that it does not find."""
    folder = tmp_path_factory.mktemp("megatron")
    for dtype in ("uint16", "int32"):
        with IndexedWriter(folder / f"ours-{dtype}", dtype) as writer:  # type: ignore[arg-type]
            for document in WHOLE:
                writer.add(np.array(document))
            writer.publish()
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, str(folder), json.dumps(DOCUMENTS)]
    done = subprocess.run(command, capture_output=True, text=True)
    last = (done.stderr.strip().splitlines() or [""])[-1]
    if last.startswith(("ModuleNotFoundError", "ImportError")):
        pytest.skip(f"megatron-core cannot be imported here: {last}")
    assert done.returncode == 0, done.stderr
    return Exchange(folder, [json.loads(line) for line in done.stdout.splitlines()])


@pytest.mark.real
def test_theirs_reads_ours(exchange: Exchange) -> None:
    """Both widths, each mapped into memory and read as a file."""
    assert exchange.read == [[WHOLE, [0, 1, 2, 3], [0, 3, 4]]] * 4


@pytest.mark.real
@pytest.mark.parametrize("dtype", ["uint16", "int32", "int64"])
def test_ours_reads_theirs(exchange: Exchange, dtype: str) -> None:
    reader = IndexedReader(exchange.folder / f"theirs-{dtype}")
    reader.check()
    assert reader.dtype == dtype
    assert [reader.document(index).tolist() for index in range(3)] == WHOLE
