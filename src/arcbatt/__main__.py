"""Run the command line with `python -m arcbatt`."""

from arcbatt.cli import main

main()
