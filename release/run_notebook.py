"""Execute a notebook as Kaggle does: from the top, in a fresh kernel, without network.

python release/run_notebook.py notebooks/submit.ipynb out.ipynb --set INPUT=fake/input

`--set` changes assignments in cells tagged "parameters"; a name that is not assigned there is an
error. The executed notebook is written even if a cell fails.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

CELL_S = 300
START_S = 180


def set_parameters(notebook: nbformat.NotebookNode, values: dict[str, str]) -> None:
    """Change the values that cells tagged "parameters" assign."""
    cells = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    for name, value in values.items():
        n_changed = 0
        line = f"{name} = {value!r}".replace("\\", r"\\")
        for cell in cells:
            cell.source, n = re.subn(rf"(?m)^{name} = .*$", line, cell.source)
            n_changed += n
        if n_changed != 1:
            raise SystemExit(f"{name} is set {n_changed} times in the cells tagged parameters")


def execute(path: Path, out: Path, values: dict[str, str]) -> None:
    """Execute a notebook and write the result."""
    notebook = nbformat.read(path, as_version=4)
    set_parameters(notebook, values)
    # Use sockets in the file system: without network, the loopback device is missing too.
    sockets = TemporaryDirectory()
    place = str(Path(sockets.name) / "kernel")
    manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=place)
    client = NotebookClient(notebook, km=manager, timeout=CELL_S, startup_timeout=START_S)
    try:
        client.execute(cwd=str(out.parent))
    finally:
        nbformat.write(notebook, out)
        sockets.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description="Execute a notebook as Kaggle does.")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="values")
    args = parser.parse_args()
    pairs = (value.partition("=") for value in args.values)
    execute(args.notebook, args.out, {name: value for name, _, value in pairs})


if __name__ == "__main__":
    main()
