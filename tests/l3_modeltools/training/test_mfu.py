import pytest

from l3_modeltools.architectures import flops_per_token, preset
from l3_modeltools.training.mfu import utilisation


def test_it_is_the_stated_formula() -> None:
    flops = flops_per_token(preset("llama-3.1-8b"), 8192)
    found = utilisation(8 * 9000.0, flops_per_token=flops, peak=989.4e12, ranks=8)
    assert found == pytest.approx(9000 * flops / 989.4e12)
    assert 0.4 < found < 0.6


def test_it_is_unknown_where_a_term_is() -> None:
    assert utilisation(1.0, flops_per_token=1.0, peak=None, ranks=1) is None
    assert utilisation(1.0, flops_per_token=None, peak=1.0, ranks=1) is None
