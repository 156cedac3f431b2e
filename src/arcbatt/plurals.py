"""Counts with a singular or plural noun."""


def count(number: int, noun: str, plural: str = "") -> str:
    """Return "1 cell", "3 cells" or "1,200 cells"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
