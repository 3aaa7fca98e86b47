"""The documents this layer owns."""
