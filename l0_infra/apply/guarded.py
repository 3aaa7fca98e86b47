"""Holds a lock for as long as a program and all that it forks live: `python -I -S guarded.py FILE PROGRAM…`.

The lock is shared, so that many may hold it; who takes it alone knows that none of them is left, whoever was killed.
"""

import fcntl
import os
import sys


def main() -> None:
    """Take the lock and become the program, which inherits it."""
    lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_SH)
    os.set_inheritable(lock, True)
    try:
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as error:
        sys.exit(f"{sys.argv[2]}: {error.strerror}")


if __name__ == "__main__":
    main()
