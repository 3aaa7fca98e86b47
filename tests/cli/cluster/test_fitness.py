"""What verdicts come to, and how they are shown."""

import pytest

from l0_infra.core.errors import FactsMissingError, UnhealthyError
from l1_podsys.schemas import DrainChange, Health, Verdict
from ogai.flows.cluster import raise_for_verdicts
from ogai.render.cluster.health import print_health


def health(*severities: str, **more: object) -> Health:
    verdicts = tuple(
        Verdict(
            node=f"n{index}",
            check="disk.full",
            severity=severity,  # type: ignore[arg-type]
            found=f"/ {severity}",
            expected="room",
            hint="" if severity == "ok" else "make room",
        )
        for index, severity in enumerate(severities, 1)
    )
    return Health(cluster="pod", level="quick", checked_at=1.0, verdicts=verdicts, **more)  # type: ignore[arg-type]


def test_well_and_warnings_pass() -> None:
    raise_for_verdicts(health("ok", "warning"))


def test_critical_is_unhealthy_whatever_else_is_unknown() -> None:
    with pytest.raises(UnhealthyError, match="n3 unfit"):
        raise_for_verdicts(health("ok", "unknown", "critical"))


def test_unknown_is_no_pass_and_neither_is_nothing() -> None:
    with pytest.raises(FactsMissingError, match=r"nothing critical, but 1 check not made on n2: disk\.full"):
        raise_for_verdicts(health("ok", "unknown"))
    with pytest.raises(FactsMissingError, match="no verdict"):
        raise_for_verdicts(health())


def test_what_could_not_be_checked_for_one_reason_is_told_once_and_no_node_looks_broken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    missing = [
        Verdict(node=node, check=check, severity="unknown", found="no torch", expected=check, hint="bring it")
        for node in ("n1", "n2")
        for check in ("matrix.speed", "collective.all-reduce")
    ]
    print_health(Health(cluster="pod", level="medium", checked_at=1.0, verdicts=tuple(missing)))
    out = capsys.readouterr().out
    assert out.count("no torch") == 1 and "NOT CHECKED  n[1-2]  matrix.speed, collective.all-reduce" in out
    assert "incomplete" in out and "unknown " not in out


def test_like_verdicts_are_told_once_worst_first_and_what_is_well_is_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    drain = DrainChange(node="n2", change="drained", owner="gate", reason="disk.full: / critical")
    print_health(health("warning", "critical", "ok", "critical", drains=(drain,), breaker="too many"))
    out = capsys.readouterr().out
    assert out.index("CRITICAL  n[2,4]  disk.full") < out.index("WARNING  n1  disk.full")
    assert "mend      make room" in out and "/ ok" not in out
    assert "drained" in out and "nobody was drained: too many" in out
    print_health(health("ok"), everything=True)
    assert "OK  n1  disk.full" in capsys.readouterr().out
