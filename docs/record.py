"""Record the output of a command as a picture for the documentation.

python docs/record.py --title "arcbatt kaggle" --hide /tmp/x docs/img/kaggle.svg \\
    arcbatt kaggle --input /tmp/x/kaggle/input --output /tmp/x/kaggle/working

`--hide PREFIX` leaves out of all paths where on this machine they are.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

from rich.text import Text
from terminal_pictures import record

from arcbatt.cli.console import NOTEBOOK
from arcbatt.files import write_whole

COLUMNS = 110


def main() -> None:
    parser = argparse.ArgumentParser(description="Record what a command prints as a picture.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--title", required=True, help="the command as it is shown")
    parser.add_argument("--hide", default="", metavar="PREFIX", help="left out of all paths")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    # As in a notebook: in color, and without overwriting.
    environment = {
        **os.environ,
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "COLUMNS": str(COLUMNS),
        NOTEBOOK: "1",
    }
    ended = subprocess.run(
        args.command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        check=True,
    )
    printed = ended.stdout.rstrip()
    if args.hide:
        printed = printed.replace(args.hide, "")
    write_whole(args.file, record(args.title, Text.from_ansi(printed), width=COLUMNS))


if __name__ == "__main__":
    main()
