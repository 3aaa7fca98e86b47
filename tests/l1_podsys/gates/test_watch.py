"""A watch tells what changes from round to round; a failed round neither ends it nor looks like a mend."""

from collections.abc import Iterator
from itertools import islice

from l0_infra.core.errors import RemoteError
from l1_podsys.gates.watch import Round, watch_health
from l1_podsys.schemas import DrainChange, Health, Verdict
from ogai.render.cluster.watched import describe_round


def health(*bad: str, **more: object) -> Health:
    """One node; what is named fails, all other checks are well."""
    codes = ("disk.full", "time.offset", *(code for code in bad if code.startswith("node.")))
    verdicts = tuple(
        Verdict(node="n1", check=code, severity="critical" if code in bad else "ok", found="f", expected="e")
        for code in codes
    )
    return Health(cluster="pod", level="quick", checked_at=1.0, verdicts=verdicts, **more)  # type: ignore[arg-type]


def rounds(*answers: Health | RemoteError) -> list[Round]:
    told: Iterator[Health | RemoteError] = iter(answers)
    rests: list[float] = []

    def check() -> Health:
        answer = next(told)
        if isinstance(answer, RemoteError):
            raise answer
        return answer

    found = list(islice(watch_health(check, every_s=7.0, sleep=rests.append), len(answers)))
    assert rests == [7.0] * (len(answers) - 1)
    return found


def codes(verdicts: tuple[Verdict, ...]) -> list[str]:
    return [one.check for one in verdicts]


def test_changes_are_told_once() -> None:
    found = rounds(health(), health("disk.full"), health("disk.full"), health())
    assert [(codes(one.worse), codes(one.mended)) for one in found] == [
        ([], []),
        (["disk.full"], []),
        ([], []),
        ([], ["disk.full"]),
    ]


def test_a_round_that_fails_is_told_and_changes_nothing() -> None:
    lost = RemoteError("head", found="no answer", expected="an answer")
    found = rounds(health("disk.full"), lost, health("disk.full"))
    assert found[1].failure is lost
    assert (found[2].worse, found[2].mended) == ((), ())
    assert "no answer" in next(describe_round(found[1]))


def test_a_rule_that_is_not_broken_any_more_is_mended() -> None:
    assert codes(rounds(health("node.kernel-fatal"), health())[1].mended) == ["node.kernel-fatal"]


def test_a_node_that_nobody_looked_at_is_not_mended() -> None:
    nobody = Health(cluster="pod", level="quick", checked_at=1.0)
    assert rounds(health("node.kernel-fatal", "disk.full"), nobody)[1].mended == ()


def test_a_round_in_words() -> None:
    drains = (
        DrainChange(node="n1", change="drained", owner="gate", reason="disk.full: f"),
        DrainChange(node="n2", change="kept", owner="kim"),
    )
    (one,) = rounds(health("disk.full", drains=drains))
    assert list(describe_round(one)) == [
        "0 of 1 node fit; 1 critical",
        "WORSE   n1  disk.full: f",
        "DRAINED  n1  disk.full: f",
    ]
