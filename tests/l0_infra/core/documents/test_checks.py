from l0_infra.core.documents import below, repeated, unknown
from l0_infra.core.errors import Fault


def test_each_later_of_equal_values_is_a_fault_that_names_the_first() -> None:
    faults = list(repeated("users", "uid", [1000, 1001, 1000, None, None, 1000]))
    assert [fault.path for fault in faults] == [("users", 2, "uid"), ("users", 5, "uid")]
    assert {str(fault) for fault in faults[:1]} == {
        "users[2].uid: found `1000`, already that of users[0]; expected a unique uid"
    }


def test_an_unknown_name_gets_the_nearest_whatever_its_case() -> None:
    (fault,) = unknown(("scheduler", "controller"), "Head-1", ["head1", "node7"], what="a node")
    assert (fault.found, fault.expected, fault.hint) == ("`Head-1`", "a node", "did you mean `head1`?")
    assert not list(unknown((), "node7", ["head1", "node7"], what="a node"))


def test_the_faults_of_a_part_are_moved_to_where_it_stands() -> None:
    inner = Fault(path=(0, "cidr"), found="x", expected="y", hint="z")
    (moved,) = below(("networks",), [inner])
    assert moved == Fault(path=("networks", 0, "cidr"), found="x", expected="y", hint="z")
