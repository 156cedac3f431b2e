"""The web app: pages about task sets, runs and programs for a browser.

`create_app` creates the app from settings, `serve` runs it. Each page is a module with `ROUTES`,
listed in `app.PAGES`, and calls the same functions as the command line. Templates are in
`templates`, scripts in `static`; reports share the frame of pages.
"""

from .app import create_app
from .server import serve
from .settings import Settings

__all__ = ["Settings", "create_app", "serve"]
