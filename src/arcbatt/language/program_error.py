"""The error for invalid program text."""

from __future__ import annotations

# Lengths of names and lines in messages.
MAX_SHOWN = 80


def shorten(text: str) -> str:
    """Return text from a file as a message shows it."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


class ProgramError(ValueError):
    """Invalid program text: where it is, what is there and what was expected.

    `more` are the errors below it in the same program.
    """

    def __init__(
        self, message: str, *, file: str = "", line: int = 0, column: int = 0, text: str = ""
    ) -> None:
        where = ":".join(str(part) for part in (file, line, column) if part)
        # Text from a file must not control the terminal.
        text = "".join(
            c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:200]
        )
        shown = shorten(text)
        super().__init__(
            (f"{where}: " if where else "") + message + (f"\n    {shown}" if shown else "")
        )
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.text = text
        self.more: tuple[ProgramError, ...] = ()

    @property
    def all(self) -> tuple[ProgramError, ...]:
        """This error and those below it in the same program."""
        return (self, *self.more)
