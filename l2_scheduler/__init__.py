"""A job enters a queue and ends with exactly one outcome.

The face is resolved on first use, so that a shim, which has the standard library only, can live in this package.
"""
