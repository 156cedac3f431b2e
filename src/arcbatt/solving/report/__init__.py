"""The results of a run as files: submission, report, results, explanations."""
