"""Where and when a job starts: one pure function and its reasons."""
