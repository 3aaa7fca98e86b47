"""Dealing layers to stages, on numbers of no model: the exact minimum, whatever stages cost and can hold."""

from itertools import accumulate, product
from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.planning.search.balance import Choice, Dealing, Slowest, balanced

COSTS = st.lists(st.integers(1, 20), min_size=7, max_size=7)


@given(
    costs=st.lists(COSTS, min_size=1, max_size=4),
    most=st.lists(st.integers(1, 7), min_size=4, max_size=4),
    layers=st.integers(1, 7),
    count=st.integers(1, 6),
    fixed=st.lists(st.integers(0, 30), min_size=4, max_size=4),
)
def test_no_table_is_faster(
    costs: list[list[int]], most: list[int], layers: int, count: int, fixed: list[int]
) -> None:
    """Seconds of a stage grow with its layers, up to as many as it can hold; the slowest says what is done once."""
    seconds = [list(accumulate(stage)) for stage in costs]

    def choose(p: int, start: int, held: int) -> Choice | None:
        if held > most[p]:
            return None
        time = float(seconds[p][held - 1]) + p / 1000  # no two stages take equally long
        return Choice(time, time, (held,), (0,), (0,))

    def price(table: tuple[Choice, ...]) -> float:
        slowest = max(range(len(table)), key=lambda p: table[p].seconds)
        others = sum(one.seconds for p, one in enumerate(table) if p != slowest)
        return count * table[slowest].seconds + others + fixed[slowest]

    stages = len(costs)
    dealing = Dealing(
        layers=layers,
        stages=stages,
        count=count,
        virtual=1,
        fewest=1,
        most=layers,
        shown=0.0,
        scale=1.0,
        rest=0.0,
        alike=False,
        slowest=tuple(map(Slowest, range(stages))),
        ahead=lambda start: start,
        choose=choose,
    )
    tables = [
        tuple(one for one in held if one)
        for counts in product(range(1, layers + 1), repeat=stages)
        if sum(counts) == layers and all(held := [choose(p, 0, many) for p, many in enumerate(counts)])
    ]
    found = balanced(dealing, price, float("inf"))
    assert (found is None) == (not tables)
    if found:
        least = min(map(price, tables))
        assert isclose(found[0], least)
        assert isclose(price(found[1]), least)
        assert balanced(dealing, price, least * 0.999) is None
