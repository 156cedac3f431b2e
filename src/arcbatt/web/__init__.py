"""The web app: sets of tasks and runs in, pages out that a browser of this machine shows.

`create_app` makes it of settings, `serve` runs it. Each page is a module with its routes, listed in
`app.PAGES`; what pages compute is done by the functions that the command line calls. Pages are
templates of `templates`, their scripts modules of `static`, in the frame that reports share.
"""

from .app import create_app
from .serving import serve
from .settings import Settings

__all__ = ["Settings", "create_app", "serve"]
