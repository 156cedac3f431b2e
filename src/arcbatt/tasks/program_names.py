"""Program names for tasks: `solve_<task id>`."""

import re
from hashlib import blake2b

PREFIX = "solve_"
# Names become file names, and a task id may have any length.
MAX_ID = 80


def program_name(task_id: str) -> str:
    """Return `solve_<task>`; an id that is not a valid identifier is shortened and gets a hash.

    The hash keeps the names of different tasks distinct.
    """
    plain = re.sub(r"\W", "_", task_id, flags=re.ASCII)[:MAX_ID]
    if plain == task_id:
        return PREFIX + task_id
    # Ids of invalid tasks need names too, and JSON can escape what UTF-8 cannot encode.
    text = task_id.encode(errors="surrogatepass")
    return f"{PREFIX}{plain}_{blake2b(text, digest_size=4).hexdigest()}"


def task_id_of(name: str) -> str | None:
    """Return the task part of `solve_<task>`, or None if the name has another form."""
    return name.removeprefix(PREFIX) if name.startswith(PREFIX) else None
