"""What every test starts from."""

import signal

from hypothesis import HealthCheck, settings

# A shell starts background jobs (`make test &`) with SIGINT ignored, and every program started here would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No example of a property is timed: a busy machine is no fault.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
