"""What `lldpcli show neighbors` writes, in both of its forms (tests/cases/lldp), and what it means."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.facts.bundle import ABSENT, NOT_ASKED, Answer
from l0_infra.facts.lldp import parse_neighbors
from l0_infra.schemas import Neighbor

CASES = sorted((Path(__file__).parents[2] / "cases/lldp").glob("*.yaml"))


def load(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(path.read_text())
    return read


def said(out: str, code: int = 0) -> Answer:
    return Answer(end="exit", code=code, out=out)


@pytest.mark.parametrize("form", ["json", "json0"])
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_both_forms_say_the_same(path: Path, form: str) -> None:
    case = load(path)
    wanted = msgspec.convert(case["neighbors"], tuple[Neighbor, ...])
    assert parse_neighbors(said(case[form])) == (wanted, ())


def test_a_program_that_is_not_there_is_no_fault_and_nobody_asked_is_none() -> None:
    assert parse_neighbors(ABSENT) == (None, ())
    assert parse_neighbors(NOT_ASKED) == (None, ())


def test_a_daemon_that_is_not_at_work_or_not_ours_to_ask_is_told() -> None:
    text = "2026-02-03T10:11:12 [WARN/control] unable to connect to socket /run/lldpd.socket: "
    told = [
        parse_neighbors(Answer(end="exit", code=1, err=f"{text}{why}"))
        for why in ("No such file or directory", "Permission denied")
    ]
    assert [(found, fault.reason) for found, (fault,) in told] == [(None, "failed"), (None, "denied")]
    assert [fault.hint for _, (fault,) in told] == ["", "look as root"]


def test_nonsense_is_told_as_such() -> None:
    ((fault,),) = [faults for found, faults in [parse_neighbors(said("lldpd 0.7"))] if found is None]
    assert (fault.what, fault.reason, fault.detail) == ("lldpcli", "garbled", "lldpd 0.7")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["interface", "chassis", "port", "id", "name", "value", "capability", "x"]),
            inner,
            max_size=4,
        )
    ),
)


@given(JSON)
def test_no_form_makes_it_fail(told: object) -> None:
    found, faults = parse_neighbors(said(json.dumps({"lldp": told})))
    assert (found is None) == bool(faults)
    assert all(one.interface for one in found or ())
