"""What checks found is kept of every node, the newest of each depth."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from l0_infra.core.errors import EngineError
from l1_podsys import ClusterPlace, KnownHealth, health_with
from l1_podsys.schemas import Health, Verdict

Severity = Literal["ok", "warning", "critical", "unknown"]


def a_health(
    at: float, *found: tuple[str, str, Severity], level: Literal["quick", "medium", "burnin"] = "quick"
) -> Health:
    verdicts = tuple(
        Verdict(node=node, check=check, severity=severity, found="", expected="")
        for node, check, severity in found
    )
    return Health(cluster="pod", level=level, checked_at=at, verdicts=verdicts)


def taken_in(*rounds: tuple[Health, Sequence[str]]) -> KnownHealth:
    known = KnownHealth()
    for health, nodes in rounds:
        known = health_with(known, health, nodes)
    return known


def told(known: KnownHealth) -> list[tuple[str, str, str, float]]:
    return [(one.verdict.node, one.verdict.check, one.verdict.severity, one.at) for one in known.verdicts]


def test_what_was_mended_is_forgotten_and_other_nodes_stay() -> None:
    known = taken_in(
        (a_health(1, ("n1", "disk.full", "critical"), ("n2", "disk.full", "ok")), ["n1", "n2"]),
        (a_health(2, ("n1", "time.offset", "ok")), ["n1"]),
    )
    assert told(known) == [("n1", "time.offset", "ok", 2), ("n2", "disk.full", "ok", 1)]
    assert known.looked_at == {"n1": 2, "n2": 1}
    assert known.worst() == {"n1": "ok", "n2": "ok"}


def test_a_quick_look_forgets_nothing_that_went_deeper_and_a_deep_one_everything() -> None:
    deep = a_health(1, ("n1", "cpu.speed", "warning"), ("n1", "disk.full", "ok"), level="medium")
    quick = a_health(2, ("n1", "disk.full", "critical"))
    known = taken_in((deep, ["n1"]), (quick, ["n1"]))
    assert told(known) == [("n1", "cpu.speed", "warning", 1), ("n1", "disk.full", "critical", 2)]
    assert known.worst() == {"n1": "critical"}
    assert told(health_with(known, a_health(3, level="burnin"), ["n1"])) == []


def test_it_is_kept_in_a_file_of_this_user(tmp_path: Path) -> None:
    place = ClusterPlace(home=tmp_path, name="pod")
    assert place.load_health() == KnownHealth()
    place.save_health(a_health(1, ("n2", "disk.full", "ok"), ("n10", "disk.full", "ok")), ["n2", "n10"])
    assert [one.verdict.node for one in place.load_health().verdicts] == ["n2", "n10"]
    assert (place.folder / "health.json").stat().st_mode & 0o077 == 0


def test_a_damaged_file_is_named_with_its_mend(tmp_path: Path) -> None:
    place = ClusterPlace(home=tmp_path, name="pod")
    place.prepare()
    (place.folder / "health.json").write_text("{")
    with pytest.raises(EngineError, match=r"health\.json"):
        place.load_health()
