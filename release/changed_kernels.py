"""Says which kernels a change has really changed: those must be run on a card again.

python -m arcbatt.engine.kernels --arch 90 --to before     with the version of before
python -m arcbatt.engine.kernels --arch 90 --to after      with the changed one
python release/changed_kernels.py before after

Kernels are compared by their machine code, instruction for instruction; tables of constants that
it refers to are not compared. No GPU is needed.
"""

from __future__ import annotations

import argparse
from io import BytesIO
from pathlib import Path

from elftools.elf.elffile import ELFFile

from arcbatt.engine import kernel_files

CODE = ".text."


def kernels_in(path: Path) -> dict[str, bytes]:
    """Return the machine code of each kernel and function of a compiled module, by name."""
    sections = ELFFile(BytesIO(kernel_files.read(path))).iter_sections()
    return {s.name.removeprefix(CODE): s.data() for s in sections if s.name.startswith(CODE)}


def all_kernels(folder: Path) -> dict[str, set[bytes]]:
    """Return the same of all modules that a folder has for one kind of GPU.

    Several modules may have a function of one name, which may be compiled differently in each.
    """
    targets = sorted({path.parent for path in folder.rglob("*" + kernel_files.SUFFIX)})
    if len(targets) != 1:
        names = ", ".join(str(target.relative_to(folder)) for target in targets) or "none"
        raise SystemExit(f"{folder}: expected kernels of one version for one GPU, found {names}")
    if not targets[0].name.startswith("sm_"):
        raise SystemExit(f"{targets[0]}: PTX is no machine code; compile with --arch")
    found: dict[str, set[bytes]] = {}
    for path in targets[0].glob("*" + kernel_files.SUFFIX):
        for name, code in kernels_in(path).items():
            found.setdefault(name, set()).add(code)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the machine code of compiled kernels.")
    parser.add_argument("before", type=Path, help="a folder that kernels were compiled into")
    parser.add_argument("after", type=Path, help="another one")
    given = parser.parse_args()
    before, after = all_kernels(given.before), all_kernels(given.after)
    changed = sorted(name for name in before.keys() & after.keys() if before[name] != after[name])
    for title, names in (
        ("changed", changed),
        ("new", sorted(after.keys() - before.keys())),
        ("gone", sorted(before.keys() - after.keys())),
    ):
        for name in names:
            print(f"{title}: {name}")
    print(f"{len(before.keys() & after.keys()) - len(changed)} of {len(after)} are as before")


if __name__ == "__main__":
    main()
