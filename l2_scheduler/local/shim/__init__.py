"""The process that runs one job, outlives the agent and writes the exit status."""
