"""Bars of bytes by pipeline stage: as long as the device's memory, and honest where that is not enough."""

import pytest

from ogai.render.strategy.bars import draw_legend, draw_stages

GIB = 2**30


def stage(weights: int, activations: int) -> dict[str, int]:
    return {"weights": weights * GIB, "activations": activations * GIB}


def bars(stages: list[dict[str, int]], layers: list[int], *, coloured: bool = False) -> list[str]:
    """Of a device with 40 GiB, a column for each."""
    return [line.plain for line in draw_stages(stages, layers, 40 * GIB, 13 + 24 + 40, coloured=coloured)]


def test_a_column_is_so_much_of_what_there_is() -> None:
    assert bars([stage(10, 20), stage(10, 5)], [4, 1]) == [
        f"stage 0      {'W' * 10}{'A' * 20}{'.' * 10}    30 GiB, 4 layers",
        f"stage 1      {'W' * 10}{'A' * 5}{'.' * 25}    15 GiB, 1 layer",
    ]


@pytest.mark.parametrize(("coloured", "arrow"), [(False, ">"), (True, "▶")])
def test_what_does_not_fit_ends_in_an_arrow_and_what_just_fits_does_not(coloured: bool, arrow: str) -> None:
    (over,), (full,) = (bars([stage(10, size)], [4], coloured=coloured) for size in (35, 30))
    assert over.split()[2].endswith(arrow) and arrow not in full
    assert len(over.split()[2]) == len(full.split()[2]) == 40


def test_of_like_stages_the_fullest_is_told_and_what_does_not_fit_stands_apart() -> None:
    sizes = [39, 41, *(39 - one // 2 for one in range(18))]
    found = bars([stage(10, size - 10) for size in sizes], [7, *[8] * 18, 7])
    over = [line for line in found if ">" in line]
    assert len(found) <= 12 and len(over) == 1
    assert over[0].startswith("stage 1  ") and "41 GiB" in over[0]
    for line in found:
        first, _, last = line.split()[1].partition("-")
        assert f" {max(sizes[int(first) : int(last or first) + 1])} GiB" in line


def test_layers_of_stages_told_as_one_are_a_range() -> None:
    found = bars([stage(10, 20)] * 40, [7, 8] * 20)
    assert any("7-8 layers" in line for line in found) and len(found) <= 12


@pytest.mark.parametrize("coloured", [True, False])
def test_the_legend_has_room_in_80_columns(coloured: bool) -> None:
    assert draw_legend(coloured=coloured).cell_len < 80
