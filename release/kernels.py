"""Build the wheel `arcbatt_kernels` of compiled GPU kernels.

python release/wheels.py --kernels 60,75,80,86,89,90,100,120    into dist/, after the other wheels

The kernels have their own wheel, since they are many times as large as arcbatt, work with any
Python, and are useless without a GPU. NVIDIA's run-time compiler of CUDA 12 from the package index
compiles them; drivers of CUDA 12 and later load its code. No GPU is needed.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
import zipfile
from pathlib import Path

from wheels import BUILD, make_environment

COMPILER = "nvidia-cuda-nvrtc-cu12>=12.8,<13"
NAME = "arcbatt_kernels"
METADATA = """Metadata-Version: 2.1
Name: arcbatt-kernels
Version: {version}
Summary: Compiled GPU kernels of arcbatt
License-Expression: MIT
Requires-Dist: arcbatt=={version}
"""
WHEEL = """Wheel-Version: 1.0
Generator: arcbatt
Root-Is-Purelib: true
Tag: py3-none-any
"""


def build_kernels(python: Path, wheel: Path, architectures: str) -> Path:
    """Compile the kernels of a wheel of arcbatt for GPU architectures; return their wheel."""
    place = BUILD / "kernels"
    own = make_environment(python, place / "env", [COMPILER, str(wheel)])
    # Reinstall it, since an earlier build may have the same version.
    again = [own, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", wheel]
    subprocess.run(again, check=True)
    folder = place / NAME
    oldest = min(map(int, architectures.split(",")))
    options = ["--arch", architectures, "--ptx", str(oldest), "--to", folder]
    subprocess.run([own, "-m", "arcbatt.engine.gpu.kernels", *options], check=True)
    return write_wheel(folder, wheel.name.split("-")[1], place)


def write_wheel(folder: Path, version: str, place: Path) -> Path:
    """Pack a folder of compiled kernels as the package of that name."""
    files = {
        f"{NAME}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in sorted(folder.rglob("*.xz"))
    }
    about = f"{NAME}-{version}.dist-info"
    files[f"{NAME}/__init__.py"] = b'"""Compiled GPU kernels of arcbatt."""\n'
    files[f"{about}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{about}/WHEEL"] = WHEEL.encode()
    rows = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(content)}\n")
    record = f"{about}/RECORD"
    files[record] = ("".join(rows) + f"{record},,\n").encode()
    target = place / f"{NAME}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w") as archive:  # the kernels are already compressed
        for name, content in files.items():
            archive.writestr(name, content)
    return target
