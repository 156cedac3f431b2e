"""A task's id in, the name of programs for it out, and back."""

import re
from hashlib import blake2b

PREFIX = "solve_"
# Names are those of files too, and a task may have an id of any length.
MAX_ID = 80


def program_name(task_id: str) -> str:
    """Return `solve_<task>`; of an id that cannot be part of a name, what is left and a hash.

    So no two tasks have programs of one name, whatever other tasks there are.
    """
    plain = re.sub(r"\W", "_", task_id, flags=re.ASCII)[:MAX_ID]
    if plain == task_id:
        return PREFIX + task_id
    return f"{PREFIX}{plain}_{blake2b(task_id.encode(), digest_size=4).hexdigest()}"


def task_id_of(name: str) -> str | None:
    """Return what stands for the task in `solve_<task>`, or None if the name is of another form."""
    return name.removeprefix(PREFIX) if name.startswith(PREFIX) else None
