"""What each extra needs is read from metadata lines, and a broken base is refused with the mend."""

import pytest

from l0_infra.core.errors import UnhealthyError
from ogai.flows.requirements import BASE, judge_base, parse_requirements

LINES = [
    "click>=8.4",
    "tool.kit>=2.0.1 ; python_version >= '3.11'",
    'far-away>=3; extra == "cluster"',
    'types-near; extra == "dev"',
    "far_two>=1.10; extra == 'cluster'",
]
INSTALLED = {"click": "8.10.1", "tool.kit": "2.0.1rc1", "far_two": "1.9.9"}


def test_lines_are_sorted_by_extra_and_compared() -> None:
    base, cluster, dev = parse_requirements(LINES, INSTALLED.get)
    assert (base.name, base.ready, base.command) == (BASE, True, "pip install --upgrade ogai")
    assert [(p.name, p.wanted, p.installed) for p in base.packages] == [
        ("click", ">=8.4", "8.10.1"),
        ("tool.kit", ">=2.0.1", "2.0.1rc1"),
    ]
    assert (cluster.ready, cluster.command) == (False, "pip install --upgrade 'ogai[cluster]'")
    assert [(p.name, p.installed, p.enough) for p in cluster.packages] == [
        ("far-away", None, False),
        ("far_two", "1.9.9", False),
    ]
    assert not dev.ready


@pytest.mark.parametrize(("installed", "found"), [({}, "click missing"), ({"click": "8.3.9"}, "click 8.3.9")])
def test_a_broken_base_is_refused(installed: dict[str, str], found: str) -> None:
    with pytest.raises(UnhealthyError) as caught:
        judge_base(parse_requirements(LINES[:1], installed.get))
    assert caught.value.found == found
    assert caught.value.expected == "click>=8.4"
    assert caught.value.hint == "pip install --upgrade ogai"


def test_a_missing_extra_breaks_no_base() -> None:
    judge_base(parse_requirements(LINES, INSTALLED.get))
