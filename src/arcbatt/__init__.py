"""arcbatt: solves ARC-AGI tasks by searching for programs."""
