"""Clusters in words."""
