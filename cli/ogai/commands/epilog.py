"""What stands below a command's help: lines that may be typed as they are."""

__all__ = ["examples"]


def examples(*lines: str) -> str:
    """Head the lines, and keep click from wrapping them."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))
