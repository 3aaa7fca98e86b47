"""Nodes become a cluster."""
