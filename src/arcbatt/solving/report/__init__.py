"""What a run writes for people and programs: submission, report, results, explanations."""
