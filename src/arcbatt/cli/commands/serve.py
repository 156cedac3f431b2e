"""`arcbatt serve`: show tasks, runs and programs in a browser."""

from __future__ import annotations

import errno
import secrets
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from arcbatt.plurals import count
from arcbatt.solving.run_folder import read_config
from arcbatt.tasks import TASK_SETS, load_valid

from ..completion import complete_run, complete_set
from ..console import print_blocks, print_notice, stop
from ..options import DEFAULT_OUT, Plugins, RunsFolder

EXAMPLES = (
    ("arcbatt serve", "the built-in sets, and all runs in the folder runs"),
    ("arcbatt serve runs/solve-20260101-120000", "one run"),
    ("arcbatt serve --data arc_challenges.json", "your own tasks too"),
    ("arcbatt serve --host 0.0.0.0", "for other machines, which need the token that is printed"),
)

NEEDED = ("starlette", "uvicorn")
TOKEN_BYTES = 18


def serve(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN",
            help="Folders of runs to show; by default all in --out, including new ones.",
            autocompletion=complete_run,
        ),
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data",
            metavar="SET",
            help="Tasks to show in addition to the built-in sets: a Kaggle file, a task file, or a "
            "folder; may be given several times.",
            autocompletion=complete_set,
        ),
    ] = None,
    out: RunsFolder = DEFAULT_OUT,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=1, max=65535, help="The port to listen on.")
    ] = 8327,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="The address to listen on; the default can be reached from this machine only.",
        ),
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TEXT",
            help="The secret for browsers; by default one is generated if other machines can "
            "reach the server.",
        ),
    ] = None,
    plugin: Plugins = None,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = True,
) -> None:
    """Show tasks, runs and programs as pages in a browser.

    Shows every task with its attempts, the programs behind them and the value of each line; runs
    in progress; several runs compared. Play a task; draw your own and watch it being solved; write
    a program and see the value of every line. The pages send no request to other machines. Ctrl-C
    ends the server.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        stop(f"serve needs {' and '.join(missing)}: pip install 'arcbatt[web]'")
    from arcbatt.web import Settings
    from arcbatt.web import serve as serve_pages
    from arcbatt.web.settings import is_local

    for run in runs or ():
        read_config(run)
    for source in data or ():
        if source not in TASK_SETS:
            _, bad = load_valid(source)
            if bad:
                print_notice(f"{source}: {count(len(bad), 'task')} not valid, not shown")
    if token is None and not is_local(host):
        token = secrets.token_urlsafe(TOKEN_BYTES)
    try:
        settings = Settings(tuple(runs or ()), tuple(data or ()), out, host, port, token)
    except ValueError as error:
        stop(str(error))

    def on_ready(address: str) -> None:
        print_blocks(Text.assemble("arcbatt is at ", (address, "bold"), "; Ctrl-C ends it"))
        if open_browser:
            webbrowser.open(address)

    try:
        serve_pages(settings, on_ready)
    except OSError as error:
        what = (error.strerror or str(error)).lower()
        # Another port helps only if this one is taken or forbidden.
        is_port_problem = error.errno in (errno.EADDRINUSE, errno.EACCES)
        remedy = "port with --port N" if is_port_problem else "address with --host ADDRESS"
        stop(f"{host}:{port}: {what}; choose another {remedy}")
