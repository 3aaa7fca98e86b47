import pytest

from l3_modeltools.schemas.divisors import near_divisors


@pytest.mark.parametrize(
    ("whole", "wish", "near"),
    [
        (32, 5, "4 or 8"),
        (7, 3, "1"),
        (30, 4, "3 or 5"),
        (123_456_789_012, 10**9, "none within 100,000 of it"),  # too many to try
    ],
)
def test_the_nearest_divisors_are_named_where_they_are_near(whole: int, wish: int, near: str) -> None:
    assert near_divisors(whole, wish) == near
