"""What the vendors' own diagnoses say of a node's accelerators."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Command, Outcome, Runner
from l0_infra.schemas import Accelerator
from l1_podsys.gates.catalogue import Severity, verdict
from l1_podsys.gates.reach import Reach
from l1_podsys.gates.view import NodeView
from l1_podsys.schemas import Verdict

__all__ = ["Diagnosis", "diagnosis_command", "judge_health", "parse_diagnosis", "probe_diagnoses"]

CODE = "accelerator.diagnosis"
RUNS: Mapping[str, tuple[str, float]] = {"medium": ("1", 180.0), "burnin": ("3", 3600.0)}
"""Levels of dcgmi diag and what they may take: seconds, and the better part of an hour on eight GPUs."""
WELL = frozenset(("ok", "good", "healthy", "normal"))
INSTALL = "install datacenter-gpu-manager, and start nvidia-dcgm"


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """What dcgmi says, by test: those that failed or warned with their reason, and how many passed."""

    failed: Mapping[str, str]
    warned: Mapping[str, str]
    passed: int


class _Result(msgspec.Struct):
    status: str = ""
    gpu_id: str | int | None = None
    gpu_ids: str | int | None = None
    entity_id: str | int | None = None
    warnings: tuple[str | dict[str, object], ...] = ()

    @property
    def reason(self) -> str:
        """Return which GPU, and why."""
        said = [str(one.get("warning", one)) if isinstance(one, dict) else one for one in self.warnings]
        which = next((one for one in (self.gpu_id, self.gpu_ids, self.entity_id) if one is not None), "?")
        return f"GPU {which}: {'; '.join(said) or self.status.lower()}"


class _Test(msgspec.Struct):
    name: str = "test"
    results: tuple[_Result | None, ...] | None = None


class _Category(msgspec.Struct):
    tests: tuple[_Test | None, ...] | None = None


class _Categories(msgspec.Struct):
    test_categories: tuple[_Category | None, ...] = ()


def diagnosis_command(level: Literal["medium", "burnin"]) -> Command:
    """Ask dcgmi, as short or as long as the level allows."""
    run, deadline_s = RUNS[level]
    return Command(argv=("dcgmi", "diag", "-r", run, "-j"), deadline_s=deadline_s)


def parse_diagnosis(text: str) -> Diagnosis | None:
    """Read the JSON of dcgmi 3 (`DCGM GPU Diagnostic`) and 4 (`DCGM Diagnostic`), whatever stands before it.

    None when it tells of no test.
    """
    try:
        told = msgspec.json.decode(text[text.index("{") :], type=dict[str, msgspec.Raw])
        raw = next((part for key, part in told.items() if key.startswith("DCGM")), None)
        whole = _Categories() if raw is None else msgspec.json.decode(raw, type=_Categories)
    except (ValueError, msgspec.DecodeError):
        return None
    results = list(_results(whole))
    failed = {name: one.reason for name, one in results if one.status.lower().startswith("fail")}
    warned = {name: one.reason for name, one in results if one.status.lower().startswith("warn")}
    passed = sum(one.status.lower().startswith("pass") for _, one in results)
    return Diagnosis(failed=failed, warned=warned, passed=passed) if failed or warned or passed else None


def _results(whole: _Categories) -> Iterator[tuple[str, _Result]]:
    for category in filter(None, whole.test_categories):
        for test in filter(None, category.tests or ()):
            for result in filter(None, test.results or ()):
                yield test.name, result


def probe_diagnoses(
    views: Sequence[NodeView], level: Literal["medium", "burnin"], reach: Reach
) -> Iterator[Verdict]:
    """Have the nodes with NVIDIA GPUs diagnose them, and judge those of others by what their tools said before."""
    having = {
        view.name: view.facts.accelerators
        for view in views
        if view.facts is not None and view.facts.accelerators
    }
    for name, accelerators in having.items():
        yield from judge_health(name, [one for one in accelerators if one.vendor != "nvidia"])
    nvidia = [
        name for name, accelerators in having.items() if any(one.vendor == "nvidia" for one in accelerators)
    ]
    command = diagnosis_command(level)

    def ask(_: str, runner: Runner) -> Outcome:
        return runner.run(command)

    limit_s = RUNS[level][1] + 10
    for name, outcome in reach(nvidia, ask, limit_s=limit_s).items() if nvidia else ():
        yield judge_diagnosis(name, outcome)


def judge_diagnosis(node: str, outcome: Outcome | OgaiError) -> Verdict:
    """Judge what dcgmi printed; no test is no pass."""
    if isinstance(outcome, OgaiError):
        return verdict(node, CODE, "unknown", outcome.found)
    found = parse_diagnosis(outcome.stdout)
    if found is None:
        said = (outcome.stderr or outcome.stdout).strip().splitlines()
        why = said[-1] if said else outcome.describe_end()
        return verdict(node, CODE, "unknown", f"dcgmi: {why}", hint=INSTALL)
    bad = found.failed or found.warned
    if bad:
        severity: Severity = "critical" if found.failed else "warning"
        return verdict(node, CODE, severity, "; ".join(f"{name}: {why}" for name, why in bad.items()))
    return verdict(node, CODE, "ok", f"{found.passed} passed")


def judge_health(node: str, accelerators: Sequence[Accelerator]) -> Iterator[Verdict]:
    """Judge by the word of the vendor's tool and by its error codes."""
    told = [(one.id, one.condition) for one in accelerators if one.condition is not None]
    words = [
        (name, how.health or "", how.error_codes or ()) for name, how in told if how.health or how.error_codes
    ]
    if not accelerators:
        return
    if not words:
        yield verdict(node, CODE, "unknown", "their tool says nothing of their health")
        return
    bad = [
        " ".join((name, health, *map(str, codes)))
        for name, health, codes in words
        if codes or health.lower() not in WELL
    ]
    if bad:
        yield verdict(node, CODE, "critical", "; ".join(bad))
    else:
        yield verdict(node, CODE, "ok", f"{len(words)} are well by their tool's word")
