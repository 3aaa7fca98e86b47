import pytest

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.frameworks import PRACTICES, practice_of


@pytest.mark.parametrize("name", PRACTICES)
def test_every_practice_says_where_it_is_from(name: str) -> None:
    assert practice_of(name) is PRACTICES[name].practice
    assert PRACTICES[name].sources


def test_frameworks_differ_where_their_repositories_say_so() -> None:
    megatron, titan, mindformers = map(practice_of, ("megatron", "torchtitan", "mindformers"))
    assert megatron.kept.spare_gradients and not titan.kept.spare_gradients
    assert titan.kept.master_only and titan.selective_keeps == "every_second_product"
    assert mindformers.weights == "fp32" and mindformers.kept.gathered
    assert not practice_of("torchtitan-2024").fused_loss and titan.fused_loss
    assert practice_of("megatron-2022").kept.dropout and not practice_of("megatron-2022").flash_attention


def test_an_unknown_framework_is_answered_with_those_that_are_known() -> None:
    with pytest.raises(
        UnsatisfiableError, match=r"found `megatrn`; expected one of `deepspeed`, .*`torchtitan`"
    ):
        practice_of("megatrn")
