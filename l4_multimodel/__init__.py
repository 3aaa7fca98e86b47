"""Many models share the accelerators."""
