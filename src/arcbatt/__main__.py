"""`python -m arcbatt`: the command line, where its script is not on the path."""

from arcbatt.cli import main

main()
