"""Links of `npu-smi info -t hccs`."""

import pytest

from l0_infra.facts.ascend.hccs import hccs_links

FOUR = {"hccs link speed": "[224 112 0 224 ]"}


def active(**fields: str) -> list[tuple[int, bool | None]]:
    named = {f"hccs {name.replace('_', ' ')}": value for name, value in fields.items()}
    return [(link.index, link.active) for link in hccs_links(FOUR | named) or ()]


def test_a_link_without_speed_is_down_and_says_no_bandwidth() -> None:
    assert active() == [(4, True), (5, True), (6, False), (7, True)]
    links = hccs_links(FOUR) or ()
    assert [link.bandwidth_bytes_per_s for link in links] == [28e9, 14e9, None, 28e9]


def test_the_link_with_trouble_counts_as_down_while_the_chip_is_not_well() -> None:
    assert active(health_status="NOK", first_error_lane="7")[3] == (7, False)
    assert active(health_status="OK", first_error_lane="7")[3] == (7, True)
    assert active(health_status="NOK", first_error_lane="NA")[3] == (7, True)


def test_errors_are_retries_and_failed_checksums_together() -> None:
    links = hccs_links(FOUR | {"hccs retry count": "[1 0 0 5]", "hccs error count": "[2 0 NA 0]"}) or ()
    assert [link.errors for link in links] == [3, 0, 0, 5]


@pytest.mark.parametrize("count", ["[1 2 3]", "1 2 3 4", "[]", "NA", ""])
def test_errors_that_cannot_be_told_apart_are_unknown(count: str) -> None:
    links = hccs_links(FOUR | {"hccs error count": count}) or ()
    assert [link.errors for link in links] == [None] * 4


@pytest.mark.parametrize("speeds", ["", "NA", "[]", "[224]", "224 224", "[224 224", f"[{'224 ' * 9}]"])
def test_a_list_that_names_no_links_is_none(speeds: str) -> None:
    assert hccs_links({"hccs link speed": speeds}) is None
