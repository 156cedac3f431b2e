"""List the kernels whose machine code a change affects: those must be run on a GPU again.

python -m arcbatt.engine.gpu.kernels --arch 90 --to before     with the old version
python -m arcbatt.engine.gpu.kernels --arch 90 --to after      with the new version
python release/changed_kernels.py before after

Machine code is compared instruction by instruction; tables of constants are not compared. No GPU is
needed.
"""

from __future__ import annotations

import argparse
from io import BytesIO
from pathlib import Path

from elftools.elf.elffile import ELFFile

from arcbatt.engine.gpu import kernel_files

CODE = ".text."


def kernels_in(path: Path) -> dict[str, bytes]:
    """Return the machine code of each kernel and function of a compiled module, by name."""
    sections = ELFFile(BytesIO(kernel_files.read(path))).iter_sections()
    return {s.name.removeprefix(CODE): s.data() for s in sections if s.name.startswith(CODE)}


def all_kernels(folder: Path) -> dict[str, set[bytes]]:
    """Return the machine code of all modules in a folder, which are for one kind of GPU.

    Several modules may contain a function of the same name with different code.
    """
    targets = sorted({path.parent for path in folder.rglob("*" + kernel_files.SUFFIX)})
    if len(targets) != 1:
        names = ", ".join(str(target.relative_to(folder)) for target in targets) or "none"
        raise SystemExit(f"{folder}: expected kernels of one version for one GPU, found {names}")
    if not targets[0].name.startswith("sm_"):
        raise SystemExit(f"{targets[0]}: PTX is not machine code; compile with --arch")
    kernels: dict[str, set[bytes]] = {}
    for path in targets[0].glob("*" + kernel_files.SUFFIX):
        for name, code in kernels_in(path).items():
            kernels.setdefault(name, set()).add(code)
    return kernels


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the machine code of compiled kernels.")
    parser.add_argument("before", type=Path, help="folder of compiled kernels")
    parser.add_argument("after", type=Path, help="another folder of compiled kernels")
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
    print(f"{len(before.keys() & after.keys()) - len(changed)} of {len(after)} are unchanged")


if __name__ == "__main__":
    main()
