"""What every test starts from."""

import signal

# A shell starts background jobs (`make test &`) with SIGINT ignored, and every program started here would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
