"""The Python API of the whole toolchain; the command line is a thin face over the same flows."""
