"""A pytest plugin: the hypothesis profile `prove`, with as many examples as PROVE_EXAMPLES says."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "prove",
    max_examples=int(os.environ["PROVE_EXAMPLES"]),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
