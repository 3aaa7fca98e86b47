import pytest

from l0_infra.core.documents import Document, parse_document
from l4_multimodel.schemas import Endpoint, Evaluation, Model, Serve
from tests.support.documents import faults_of

A, B = "a" * 64, "b" * 64
MODEL = f"""\
kind: model
name: chat
number: 2
files:
  - {{name: config.json, size_bytes: 700, sha256: {A}}}
  - {{name: model-00001-of-00002.safetensors, size_bytes: 4 GiB, sha256: {A}}}
  - {{name: model-00002-of-00002.safetensors, size_bytes: 3 GiB, sha256: {B}}}
lineage: {{run: chat-12, step: 5000, base: [chat@1], datasets: [{B}]}}
"""
SERVE = """\
kind: serve
name: house
deployments:
  - {name: old, model: chat@1, replicas: 2}
  - {name: new, model: chat, engine: vllm, gpus_per_replica: 1, memory_bytes: 20 GiB}
routes:
  - name: chat
    targets:
      - {deployment: old, weight: 1}
      - {deployment: new, weight: 0}
    fallback: [new]
quotas:
  - {client: ada, tokens_per_minute: 100}
listen: {port: 9000}
"""
ENDPOINT = """\
kind: endpoint
name: house
url: http://10.0.0.7:9000/v1
models: [chat]
observed_at: 1700000000
replicas:
  - {replica_id: old-0, deployment: old, model: chat@1, state: loading}
  - {replica_id: old-1, deployment: old, model: chat@1, state: ready, url: "http://node3:41000"}
"""
EVALUATION = """\
kind: evaluation
name: chat-quick
model: chat@2
tasks:
  - {name: hellaswag, num_fewshot: 10, limit: 500}
  - {name: arc_easy}
conditions: {engine: vllm, harness_version: 0.4.10}
measured_at: 1700000000
scores:
  - {task: hellaswag, metric: acc_norm, value: 0.531, stderr: 0.022, samples: 500}
  - {task: hellaswag, metric: acc, value: 0.402, samples: 500}
  - {task: arc_easy, metric: acc, value: -0.5, samples: 2376}
"""
GOOD: list[tuple[str, type[Document]]] = [
    (MODEL, Model),
    (SERVE, Serve),
    (ENDPOINT, Endpoint),
    (EVALUATION, Evaluation),
]


@pytest.mark.parametrize(("text", "kind"), GOOD, ids=lambda value: getattr(value, "__name__", ""))
def test_good_documents_have_no_faults(text: str, kind: type[Document]) -> None:
    assert faults_of(text, kind) == []


def test_what_is_not_known_is_none_not_zero() -> None:
    serve = parse_document(SERVE, source="x", expect=Serve)
    assert (serve.deployments[0].memory_bytes, serve.deployments[1].memory_bytes) == (None, 20 * 2**30)
    evaluation = parse_document(EVALUATION, source="x", expect=Evaluation)
    assert (evaluation.scores[1].stderr, evaluation.tasks[1].num_fewshot) == (None, None)
    assert evaluation.conditions.harness_version == "0.4.10"


BAD: list[tuple[str, str, type[Document], tuple[str, str], list[str]]] = [
    (
        "a missing shard",
        MODEL,
        Model,
        ("model-00002-of-00002.safetensors", "generation_config.json"),
        ["5:3: found 1 of 2 shards: no `model-00002-of-00002.safetensors`; expected every shard of the set"],
    ),
    (
        "a shard twice",
        MODEL,
        Model,
        ("model-00002", "model-00001"),
        [
            "5:3: found 1 of 2 shards: no `model-00002-of-00002.safetensors`; "
            "expected every shard of the set",
            "7:12: found `model-00001-of-00002.safetensors`, already that of files[1]; expected a unique name",
        ],
    ),
    (
        "a pickle",
        MODEL,
        Model,
        ("config.json", "pytorch_model.BIN"),
        [
            "5:12: found `pytorch_model.BIN`, a pickle; "
            "expected a format that runs no code when loaded, such as safetensors"
        ],
    ),
    (
        "a name that leads out",
        MODEL,
        Model,
        ("config.json", "../../.ssh/config"),
        [
            "5:12: found `../../.ssh/config`; "
            "expected a relative path of plain names, without `..`, `\\` and control characters"
        ],
    ),
    (
        "no files",
        MODEL,
        Model,
        (MODEL[MODEL.index("files:") : MODEL.index("lineage:")], "files: []\n"),
        ["4:8: found an empty list; expected a list of 1 or more items"],
    ),
    (
        "an adapter to nothing",
        MODEL,
        Model,
        (f"lineage: {{run: chat-12, step: 5000, base: [chat@1], datasets: [{B}]}}", "format: adapter"),
        ["8:9: found `adapter` without a base; expected the model it adapts in `lineage.base`"],
    ),
    (
        "a step of no run",
        MODEL,
        Model,
        ("run: chat-12, ", ""),
        ["8:17: found a step without a run; expected the `run` beside it"],
    ),
    (
        "weights that are all 0",
        SERVE,
        Serve,
        ("old, weight: 1", "old, weight: 0"),
        ["9:7: found weights that are all 0; expected a weight above 0"],
    ),
    (
        "a negative weight",
        SERVE,
        Serve,
        ("old, weight: 1", "old, weight: -1"),
        ["9:35: found `-1`; expected a number of 0 or more"],
    ),
    (
        "a target that is not there",
        SERVE,
        Serve,
        ("deployment: new", "deployment: nwe"),
        ["10:22: found `nwe`; expected a deployment of this document"],
    ),
    (
        "a fallback that is not there",
        SERVE,
        Serve,
        ("fallback: [new]", "fallback: [old, newer]"),
        ["11:21: found `newer`; expected a deployment of this document"],
    ),
    (
        "a target twice",
        SERVE,
        Serve,
        ("deployment: new", "deployment: old"),
        ["10:22: found `old`, already that of targets[0]; expected a unique deployment"],
    ),
    (
        "a name twice",
        SERVE,
        Serve,
        ("name: new", "name: old"),
        [
            "5:12: found `old`, already that of deployments[0]; expected a unique name",
            "10:22: found `new`; expected a deployment of this document",
            "11:16: found `new`; expected a deployment of this document",
        ],
    ),
    (
        "a client twice",
        SERVE,
        Serve,
        ("minute: 100}", "minute: 100}\n  - {client: ada}"),
        ["14:14: found `ada`, already that of quotas[0]; expected a unique client"],
    ),
    (
        "a version that is none",
        SERVE,
        Serve,
        ("chat@1", "chat@0"),
        [
            "4:24: found `chat@0`; "
            "expected a text that matches `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}(@[1-9][0-9]*)?$`"
        ],
    ),
    (
        "ready, but nowhere",
        ENDPOINT,
        Endpoint,
        ("state: loading", "state: ready"),
        ["7:64: found `ready` without a url; expected the `url` it answers at"],
    ),
    (
        "a replica twice",
        ENDPOINT,
        Endpoint,
        ("old-1", "old-0"),
        ["8:18: found `old-0`, already that of replicas[0]; expected a unique replica_id"],
    ),
    (
        "a score of no task",
        EVALUATION,
        Evaluation,
        ("task: arc_easy", "task: arc_eazy"),
        ["12:12: found `arc_eazy`; expected a task of this document"],
    ),
    (
        "a score twice",
        EVALUATION,
        Evaluation,
        ("metric: acc, value: 0.402", "metric: acc_norm, value: 0.402"),
        ["11:31: found `hellaswag acc_norm`, already that of scores[0]; expected a unique metric"],
    ),
    (
        "more samples than were asked",
        EVALUATION,
        Evaluation,
        ("0.402, samples: 500", "0.402, samples: 501"),
        ["11:59: found 501 samples with the limit 500; expected at most 500"],
    ),
    (
        "a score that is no number",
        EVALUATION,
        Evaluation,
        ("0.402", ".nan"),
        ["11:43: found `.nan`; expected a number"],
    ),
    (
        "scores of no time",
        EVALUATION,
        Evaluation,
        ("measured_at: 1700000000\n", ""),
        ["9:3: found scores without a time; expected `measured_at` beside them"],
    ),
    (
        "a task twice",
        EVALUATION,
        Evaluation,
        ("- {name: arc_easy}", "- {name: arc_easy}\n  - {name: arc_easy}"),
        ["7:12: found `arc_easy`, already that of tasks[1]; expected a unique name"],
    ),
]


@pytest.mark.parametrize(("text", "kind", "change", "expected"), [pytest.param(*r, id=i) for i, *r in BAD])
def test_a_bad_document_is_told_where_it_is_bad(
    text: str, kind: type[Document], change: tuple[str, str], expected: list[str]
) -> None:
    assert faults_of(text, kind, change) == expected
