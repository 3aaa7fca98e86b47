from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.training.validate import shares_of, validation_samples


@given(st.integers(0, 60), st.integers(1, 5), st.integers(1, 5))
def test_ranks_share_all_samples_in_as_many_rounds(samples: int, micro_batch: int, ranks: int) -> None:
    shares = [
        list(shares_of(samples, micro_batch=micro_batch, rank=rank, ranks=ranks)) for rank in range(ranks)
    ]
    assert len({len(share) for share in shares}) == 1
    assert sorted(row for share in shares for rows in share for row in rows) == list(range(samples))
    assert all(len(rows) <= micro_batch for share in shares for rows in share)


def test_a_validation_is_as_long_as_its_error_is_small() -> None:
    assert validation_samples(256, global_batch=16) == 256
    assert validation_samples(100, global_batch=16) == 656
    assert validation_samples(8192, global_batch=512) == 512
