"""A model is cut over a cluster and trained to the end."""
