"""The command line. Runs where jobs are submitted and reports are read; executors never import it."""
