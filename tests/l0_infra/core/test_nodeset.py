"""Node sets: every zero kept, fold and expand inverse, nonsense refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.errors import UsageError
from l0_infra.core.nodeset import expand, fold, fold_in_order, natural_key, repeats


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ""),
        ("a", "a"),
        ("a1,a01", "a1 a01"),
        ("node[001-003,010]", "node001 node002 node003 node010"),
        ("a[1,01,001,10]", "a1 a01 a001 a10"),
        ("a[8-11]", "a8 a9 a10 a11"),
        ("a[08-11]", "a08 a09 a10 a11"),
        ("a[99-101]", "a99 a100 a101"),
        ("a[099-101]", "a099 a100 a101"),
        ("a[98-100/2]", "a98 a100"),
        ("a[0-10/5]", "a0 a5 a10"),
        ("node[1-3]-ib", "node1-ib node2-ib node3-ib"),
        ("r[1-2]n[01-02]", "r1n01 r1n02 r2n01 r2n02"),
        ("x[1-2][3-4]y", "x13y x14y x23y x24y"),
        ("b2, a[1-2] ,b2", "b2 a1 a2"),
        ("login,n[1]", "login n1"),
    ],
)
def test_expand(text: str, names: str) -> None:
    assert expand(text) == tuple(names.split())


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("", ""),
        ("a1", "a1"),
        ("a1 a01", "a[1,01]"),
        ("a10 a2 a1", "a[1-2,10]"),
        ("node001 node002 node003 node010", "node[001-003,010]"),
        ("s007 s008 s009 s01 s02 s03 s10", "s[01-03,007-009,10]"),
        ("n1-ib n2-ib n3", "n[1-2]-ib,n3"),
        ("r1n01 r1n02 r2n01 r2n02", "r[1-2]n[01-02]"),
        ("r1n1 r1n2 r2n1", "r1n[1-2],r2n1"),
        ("b a", "a,b"),
        ("m2 m2 m1", "m[1-2]"),
        ("c09 c10 c9", "c[9,09-10]"),
    ],
)
def test_fold(names: str, text: str) -> None:
    folded = fold(names.split())
    assert folded == text
    assert set(expand(folded)) == set(names.split())


numbers = st.one_of(st.integers(0, 120).map(str), st.text("01289", min_size=1, max_size=4))
names = st.one_of(
    st.builds("n{}".format, numbers),
    st.builds("r{}n{}-ib".format, numbers, numbers),
    st.builds("{}".format, numbers),
    st.text("ab01-._", min_size=1, max_size=24),
)


@given(st.lists(names, max_size=40))
def test_fold_and_expand_are_inverse(given_names: list[str]) -> None:
    expanded = expand(fold(given_names))
    assert len(expanded) == len(set(expanded))
    assert set(expanded) == set(given_names)


def test_a_hundred_thousand_names_fold_into_one_word() -> None:
    many = [f"rack{rack:03d}-node{node}" for rack in range(1, 1001) for node in range(100)]
    assert fold(many) == "rack[001-999,1000]-node[0-99]"
    assert len(expand("rack[001-999,1000]-node[0-99]")) == 100_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("n[3-1]", "`3-1`"),
        ("n[]", "`[]`"),
        ("n[1,]", "`[1,]`"),
        ("n[1-2", "`n[1-2`"),
        ("n1-2]", "`n1-2]`"),
        ("n[[1-2]]", "`n[`"),
        ("n[a-b]", "`[a-b]`"),
        ("n[1-05]", "`1-05`"),
        ("n[1-9/0]", "`1-9`"),
        ("a,,b", "nothing between two commas"),
        ("a,", "nothing between two commas"),
        ("a b", "`a b`"),
        ("n[0-99999999]", "more names than can be meant"),
        ("n[0-9999]x[0-9999]", "more names than can be meant"),
        ("m[0-1],n[0-999]x[0-999]", "more names than can be meant"),
    ],
)
def test_what_is_no_node_set(text: str, found: str) -> None:
    with pytest.raises(UsageError) as caught:
        expand(text)
    assert str(caught.value).startswith(f"node set `{text}`: found {found}; expected ")


@pytest.mark.parametrize("name", ["", "a,b", "a[1]", "a b", "a\n"])
def test_a_name_that_would_not_come_back_is_not_folded(name: str) -> None:
    with pytest.raises(UsageError, match="expected a name without blanks"):
        fold(["ok", name])


@given(st.text(max_size=40))
def test_any_text_expands_or_is_refused(text: str) -> None:
    try:
        assert all(expand(text))
    except UsageError as error:
        assert error.where.startswith("node set")


def test_names_sort_as_people_count() -> None:
    ordered = ["eth0", "mlx5_2", "mlx5_02", "mlx5_10", "n9a", "n10", "n10a"]
    assert sorted(set(ordered), key=natural_key) == ordered


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("", ""),
        ("n1 n2 n3 n5", "n[1-3,5]"),
        ("n3 n2 n1", "n3,n2,n1"),
        ("10.0.0.254 10.0.1.1 10.0.1.2", "10.0.0.254,10.0.1.[1-2]"),
        ("r1n1 r1n2 r2n1 r2n2", "r1n[1-2],r2n[1-2]"),
        ("n09 n10 n9", "n[09-10],n9"),
        ("b a", "b,a"),
    ],
)
def test_fold_in_order(names: str, text: str) -> None:
    assert fold_in_order(names.split()) == text
    assert expand(text) == tuple(names.split())


@given(st.lists(names, unique=True, max_size=40))
def test_fold_in_order_keeps_every_name_and_their_order(listed: list[str]) -> None:
    assert expand(fold_in_order(listed)) == tuple(listed)


@pytest.mark.parametrize(
    ("text", "names"), [("n[1-3],n4", ""), ("n1,n[1-2],n2", "n1 n2"), ("n[1-3,2]", "n2"), ("a1,a01", "")]
)
def test_repeats(text: str, names: str) -> None:
    assert repeats(text) == tuple(names.split())
