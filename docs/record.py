"""Records what a command prints, as a picture for the documentation.

python docs/record.py docs/img/kaggle.svg arcbatt kaggle --input DIR --output DIR --budget 1m
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from rich.text import Text

from arcbatt.cli.pictures import record
from arcbatt.files import write_whole

COLUMNS = 110


def main() -> None:
    file, *command = sys.argv[1:]
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS)}
    ended = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        check=True,
    )
    picture = record(" ".join(command), Text.from_ansi(ended.stdout.rstrip()), width=COLUMNS)
    write_whole(Path(file), picture)


if __name__ == "__main__":
    main()
