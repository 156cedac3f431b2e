"""Files are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from arcbatt.files import write_whole


def test_text_and_bytes_replace_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "out"
    write_whole(path, "é\n")
    assert path.read_bytes() == "é\n".encode()
    write_whole(os.fspath(path), b"\xff")
    assert path.read_bytes() == b"\xff"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("trouble", [OSError("broken"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: BaseException
) -> None:
    path = tmp_path / "out"
    write_whole(path, "old")

    def fail(_: int) -> None:
        raise trouble

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fail)
        with pytest.raises(type(trouble)):
            write_whole(path, "new and longer")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "out"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(path, "")
    assert caught.value.filename == str(path)
    with pytest.raises(IsADirectoryError) as refused:
        write_whole(tmp_path, "")
    assert refused.value.filename == str(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="links, modes and devices of POSIX")
def test_links_modes_and_devices_are_preserved(tmp_path: Path) -> None:
    path, link, pipe = tmp_path / "out", tmp_path / "link", tmp_path / "pipe"
    write_whole(path, "old")
    path.chmod(0o600)
    link.symlink_to(path)
    write_whole(link, "new")
    assert link.is_symlink() and path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
