from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.projects import names
from toolreplay.files.atomic import write_text, write_texts

HANDLES = pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="no /dev/fd here")


def test_a_file_and_its_folders_are_made(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "c.yaml"
    write_text(file, "one\ntwo Grüße\n")
    assert file.read_bytes() == "one\ntwo Grüße\n".encode()
    assert names(file.parent) == ["c.yaml"]


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("old")
    file.chmod(0o640)
    write_text(file, "new")
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new", 0o640)


def test_a_new_file_is_as_private_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "c.yaml", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "c.yaml").stat().st_mode) == 0o640


@pytest.mark.parametrize("text", ["fine\n" * 9000 + "\ud800", "\ud800"], ids=["in the middle", "at once"])
def test_a_text_that_cannot_be_written_leaves_the_old_file(text: str, tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(file, text)
    assert (file.read_text(), names(tmp_path)) == ("old", ["c.yaml"])


def test_a_folder_in_the_way_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "c.yaml" / "inner").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        write_text(tmp_path / "c.yaml", "new")
    assert names(tmp_path) == ["c.yaml"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "real.yaml"
    target.write_text("old")
    (tmp_path / "c.yaml").symlink_to(target)
    write_text(tmp_path / "c.yaml", "new")
    assert ((tmp_path / "c.yaml").is_symlink(), target.read_text()) == (True, "new")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_kill_9_leaves_one_whole_file_or_the_other(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    program = (
        "import sys, pathlib\n"
        "from toolreplay.files.atomic import write_text\n"
        "for number in range(10_000):\n"
        "    write_text(pathlib.Path(sys.argv[1]), str(number % 10) * 2_000_000)"
    )
    for wait in (0.05, 0.11, 0.17):
        with subprocess.Popen([sys.executable, "-c", program, str(file)]) as writer:
            while not file.exists() and writer.poll() is None:
                time.sleep(0.01)
            time.sleep(wait)
            writer.send_signal(signal.SIGKILL)
        assert writer.returncode == -signal.SIGKILL
        text = file.read_text()
        assert (len(text), len(set(text))) == (2_000_000, 1)
        file.unlink()


def test_no_setting_of_the_process_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(mask: int) -> int:
        raise AssertionError(mask)

    monkeypatch.setattr(os, "umask", refuse)
    write_text(tmp_path / "c.yaml", "new")
    write_text(tmp_path / "c.yaml", "newer")
    assert (names(tmp_path), (tmp_path / "c.yaml").read_text()) == (["c.yaml"], "newer")


def test_a_long_name_is_written_too(tmp_path: Path) -> None:
    file = tmp_path / ("ä" * 125 + ".yaml")
    write_text(file, "new")
    assert file.read_text() == "new"


@pytest.mark.parametrize("blocked", ["file/b.yaml", "folder", "surrogate.yaml"])
def test_several_files_are_written_or_none(blocked: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder").mkdir()
    texts = {tmp_path / "file": "new", tmp_path / blocked: "\ud800" if blocked == "surrogate.yaml" else "new"}
    with pytest.raises((OSError, UnicodeEncodeError)) as caught:
        write_texts(texts)
    assert (names(tmp_path), (tmp_path / "file").read_text()) == (["file", "folder"], "old")
    assert getattr(caught.value, "filename", str(tmp_path / blocked)) == str(tmp_path / blocked)
    write_texts({tmp_path / "file": "new", tmp_path / "c" / "d": ["n", "ew"]})
    assert [(tmp_path / name).read_text() for name in ("file", "c/d")] == ["new", "new"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX's")
def test_a_pipe_stays_a_pipe_and_gets_the_text(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        write_texts({path: ["one\n", "two\n"], tmp_path / "file": "x"})
        assert os.read(reading, 99) == b"one\ntwo\n"
        os.close(reading)
    assert (stat.S_ISFIFO(pipe.stat().st_mode), names(tmp_path)) == (True, ["file", "link", "pipe"])


@HANDLES
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_what_is_open_already_is_written_into(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "c"
    reading, writing = os.pipe() if kind == "pipe" else (-1, os.open(file, os.O_CREAT | os.O_RDWR))
    os.write(writing, b"old ")
    write_text(Path(f"/dev/fd/{writing}"), "new")
    os.write(writing, b" newer")
    os.close(writing)
    assert (os.read(reading, 99) if kind == "pipe" else file.read_bytes()) == b"old new newer"
    if kind == "pipe":
        os.close(reading)


@HANDLES
def test_a_pipe_is_not_written_into_when_a_file_cannot_be(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_texts({Path(f"/dev/fd/{writing}"): "new", tmp_path / "folder": "new"})
    os.close(writing)
    assert os.read(reading, 99) == b""
    os.close(reading)


@pytest.mark.parametrize("name", ["loop", "loop/below.yaml", "n" * 300, "file/below.yaml"])
def test_a_path_that_can_be_no_file_is_an_error_that_names_it(name: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").write_text("old")
    with pytest.raises(OSError, match=r"\[Errno ") as caught:
        write_texts({tmp_path / "file": "new", tmp_path / name: "new"})
    assert caught.value.filename == str(tmp_path / name)
    assert ((tmp_path / "file").read_text(), names(tmp_path)) == ("old", ["file", "loop"])


def test_a_link_that_leads_nowhere_gets_its_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    write_text(tmp_path / "link", "new")
    assert ((tmp_path / "link").is_symlink(), (tmp_path / "folder" / "file").read_text()) == (True, "new")
