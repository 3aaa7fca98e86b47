from typing import get_args

import pytest

from l0_infra.core.documents import Document
from l3_modeltools.schemas import Checkpoint, Dataset, FaultClass, HashedFile, Run, TrainingFault
from tests.support.documents import faults_of

A, B = "a" * 64, "b" * 64
DATASET = f"""\
kind: dataset
name: stdlib
token_dtype: uint16
tokenizer: {{name: bpe, sha256: {A}, vocab_size: 4096, end_of_document: 4095}}
shards:
  - documents: 10
    tokens: 900
    bin: {{name: text-00000.bin, size_bytes: 1800, sha256: {A}}}
    idx: {{name: text-00000.idx, size_bytes: 234, sha256: {B}}}
  - split: validation
    documents: 1
    tokens: 80
    bin: {{name: held/text-00001.bin, size_bytes: 160, sha256: {A}}}
    idx: {{name: held/text-00001.idx, size_bytes: 54, sha256: {B}}}
sources:
  - {{name: python-stdlib, licence: PSF-2.0, documents: 11, dropped: [{{reason: empty, documents: 2}}]}}
"""
CHECKPOINT = f"""\
kind: checkpoint
run: tiny-7
architecture_sha256: {A}
step: 50
tokens: 204800
world_size: 2
saved_at: 1700000000.5
files:
  - {{name: .metadata, size_bytes: 4 KiB, sha256: {A}}}
  - {{name: __0_0.distcp, size_bytes: 9 MiB, sha256: {B}}}
"""
RUN = f"""\
kind: run
run_id: mine-1
train: {{kind: train, name: mine, framework: command, command: {{argv: [x]}}, steps: 100}}
directory: /shared/runs/mine-1
state: RUNNING
step: 60
submitted_at: 1000
checkpoints:
  - {{step: 20, directory: step-20, manifest_sha256: {A}}}
  - {{step: 40, directory: step-40, manifest_sha256: {B}}}
skipped:
  - {{first_step: 30, last_step: 32, reason: the loss jumped}}
"""
FAULT = """\
kind: fault
run: mine-1
fault_class: hang
occurred_at: 90
detected_at: 100
suspects:
  - {node: node7}
  - {rank: 3, node: node7, device: "nvidia:3"}
evidence:
  - {source: stack, rank: 3, text: waits in all_reduce}
advised: restart_worker
"""
GOOD: list[tuple[str, type[Document]]] = [
    (DATASET, Dataset),
    (CHECKPOINT, Checkpoint),
    (RUN, Run),
    (FAULT, TrainingFault),
]


@pytest.mark.parametrize(("text", "kind"), GOOD, ids=lambda value: getattr(value, "__name__", ""))
def test_good_manifests_have_no_faults(text: str, kind: type[Document]) -> None:
    assert faults_of(text, kind) == []


SHARD = DATASET[DATASET.index("- documents: 10") : DATASET.index("\n  - split")]
SAFE = "a relative path of plain names, without `..`, `\\` and control characters"
BAD: list[tuple[str, str, type[Document], tuple[str, str], list[str]]] = [
    (
        "a shard twice",
        DATASET,
        Dataset,
        ("- split: validation", f"{SHARD}\n  - split: validation"),
        ["12:10: found `text-00000.bin`, already that of shards[0]; expected a unique bin"],
    ),
    (
        "a pair that is none",
        DATASET,
        Dataset,
        ("held/text-00001.idx", "held/text-00002.idx"),
        ["14:17: found `held/text-00002.idx`; expected `held/text-00001.idx`"],
    ),
    (
        "tokens that are no .bin",
        DATASET,
        Dataset,
        ("held/text-00001.bin", "held/text-00001.npy"),
        ["13:17: found `held/text-00001.npy`; expected a name that ends with `.bin`"],
    ),
    (
        "tokens too large for their type",
        DATASET,
        Dataset,
        ("vocab_size: 4096", "vocab_size: 65537"),
        ["3:14: found `uint16` for a vocabulary of 65537; expected `int32` above 65536 tokens"],
    ),
    (
        "an end of document that is no token",
        DATASET,
        Dataset,
        ("4095", "4096"),
        ["4:133: found 4096; expected a token below vocab_size 4096"],
    ),
    (
        "an empty corpus",
        DATASET,
        Dataset,
        (DATASET[DATASET.index("shards:") : DATASET.index("sources:")], "shards: []\n"),
        ["5:9: found an empty list; expected a list of 1 or more items"],
    ),
    (
        "a file that leads out",
        CHECKPOINT,
        Checkpoint,
        ("__0_0.distcp", "../step-40/__0_0.distcp"),
        [f"10:12: found `../step-40/__0_0.distcp`; expected {SAFE}"],
    ),
    (
        "an absolute file",
        CHECKPOINT,
        Checkpoint,
        ("__0_0.distcp", "/etc/passwd"),
        [f"10:12: found `/etc/passwd`; expected {SAFE}"],
    ),
    (
        "a NUL in a name",
        CHECKPOINT,
        Checkpoint,
        ("__0_0.distcp", '"a\\0b"'),
        [f"10:12: found `a\\x00b`; expected {SAFE}"],
    ),
    (
        "no index",
        CHECKPOINT,
        Checkpoint,
        (".metadata", "metadata"),
        ["9:3: found no `.metadata`; expected the index that `dcp` writes last"],
    ),
    (
        "a missing shard",
        CHECKPOINT,
        Checkpoint,
        ("__0_0.distcp", "part-00001-of-00003.distcp"),
        ["9:3: found 1 of 3 shards: no `part-00002-of-00003.distcp` and 1 more; expected every shard of the set"],
    ),
    (
        "a shortened hash",
        CHECKPOINT,
        Checkpoint,
        (A + "\nstep", "aaaa\nstep"),
        ["3:22: found `aaaa`; expected a text that matches `^[0-9a-f]{64}$`"],
    ),
    (
        "a checkpoint twice",
        RUN,
        Run,
        ("step: 40, ", "step: 20, "),
        ["10:12: found `20`, already that of checkpoints[0]; expected a unique step"],
    ),
    (
        "a checkpoint ahead of its run",
        RUN,
        Run,
        ("step: 40, ", "step: 61, "),
        ["10:12: found 61, ahead of the run's 60; expected a step it has done"],
    ),
    (
        "more steps than wished",
        RUN,
        Run,
        ("step: 60\n", "step: 101\n"),
        ["6:7: found 101; expected at most train.steps 100"],
    ),
    (
        "an end before the start",
        RUN,
        Run,
        ("submitted_at: 1000", "submitted_at: 1000\nended_at: 999"),
        ["8:11: found 999.0, before submitted_at 1000.0; expected a time not before submitted_at"],
    ),
    (
        "a range the wrong way round",
        RUN,
        Run,
        ("last_step: 32", "last_step: 29"),
        ["12:33: found 29, before first_step 30; expected a step not before first_step"],
    ),
    (
        "a directory that depends on where one stands",
        RUN,
        Run,
        ("/shared/runs", "runs"),
        ["4:12: found `runs/mine-1`; expected a text that matches `^/`"],
    ),
    (
        "detected before it occurred",
        FAULT,
        TrainingFault,
        ("detected_at: 100", "detected_at: 89"),
        ["5:14: found 89.0, before occurred_at 90.0; expected a time not before occurred_at"],
    ),
    (
        "a suspect that is nobody",
        FAULT,
        TrainingFault,
        ("{node: node7}", '{device: "nvidia:0"}'),
        ["7:5: found neither rank nor node; expected at least one of them"],
    ),
    (
        "a suspect twice",
        FAULT,
        TrainingFault,
        ("{node: node7}\n", "{node: node7}\n  - {rank: 3}\n"),
        ["9:12: found `3`, already that of suspects[1]; expected a unique rank"],
    ),
    (
        "a class nobody knows",
        FAULT,
        TrainingFault,
        ("hang\n", "hangs\n"),
        [f"3:14: found `hangs`; expected one of {', '.join(f'`{one}`' for one in sorted(get_args(FaultClass)))}"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "change", "expected"), [pytest.param(*r, id=i) for i, *r in BAD])
def test_a_bad_manifest_is_told_where_it_is_bad(
    text: str, kind: type[Document], change: tuple[str, str], expected: list[str]
) -> None:
    assert faults_of(text, kind, change) == expected


NAMES = [
    *(".", "..", "a/../b", "a//b", "/a", "a/", "a\\b", "C:a", "a\nb", "a\x00b", "a\u202eb", "./a", "~/../a"),
]


@pytest.mark.parametrize("name", NAMES)
def test_unsafe_names_are_refused(name: str) -> None:
    assert [fault.path for fault in HashedFile(name=name, size_bytes=1, sha256=A).faults()] == [("name",)]


@pytest.mark.parametrize("name", ["a", ".metadata", "a/b.c", "..a", "模型-1.safetensors", "a b"])
def test_plain_names_are_taken(name: str) -> None:
    assert list(HashedFile(name=name, size_bytes=0, sha256=A).faults()) == []
