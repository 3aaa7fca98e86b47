"""The embedded engine: a queue, an agent, a shim per job, on this machine, with nothing installed."""
