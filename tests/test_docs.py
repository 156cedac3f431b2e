"""The documentation made from the registry is what the registry says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_generated_documentation_is_fresh() -> None:
    check = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True
    )
    assert check.returncode == 0, check.stdout + check.stderr
