-- A pool's tables. A file whose tables are not exactly these is not a pool: a change here is a new
-- SCHEMA_VERSION in connection.py.

-- One deal of the search: parents drawn with this seed.
CREATE TABLE cards (
    id INTEGER PRIMARY KEY,
    seed INTEGER NOT NULL,
    size INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    started_at REAL NOT NULL,
    UNIQUE (seed, size, generation, started_at)
);

-- A program, identified by its digest; text is its straight-line form under its name.
CREATE TABLE programs (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 16),
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('solver', 'differ')),
    n_calls INTEGER NOT NULL,
    -- 'library', 'import', or what made it
    origin TEXT NOT NULL,
    card_id INTEGER REFERENCES cards (id),
    found_at REAL NOT NULL
);

-- Parents by digest, since a parent may have left the pool.
CREATE TABLE parentage (
    child_id INTEGER NOT NULL REFERENCES programs (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    parent BLOB NOT NULL CHECK (length(parent) = 16),
    PRIMARY KEY (child_id, place)
) WITHOUT ROWID;

-- A task, identified by its digest; name and set are those under which it was first seen.
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 16),
    name TEXT NOT NULL,
    set_name TEXT NOT NULL
);

CREATE INDEX tasks_by_name ON tasks (name);

-- The result of a program on a task.
CREATE TABLE trials (
    program_id INTEGER NOT NULL REFERENCES programs (id) ON DELETE CASCADE,
    task_id INTEGER NOT NULL REFERENCES tasks (id),
    n_fitted INTEGER NOT NULL,
    n_demos INTEGER NOT NULL CHECK (n_demos > 0 AND n_fitted BETWEEN 0 AND n_demos),
    fits INTEGER NOT NULL GENERATED ALWAYS AS (n_fitted = n_demos) VIRTUAL,
    learns INTEGER NOT NULL CHECK (learns IN (0, 1)),
    -- of a program that learns; NULL: nothing is learnt, or it is not known
    n_held_out INTEGER CHECK (n_held_out IS NULL OR learns AND n_held_out BETWEEN 0 AND n_demos),
    -- copies of the task, mirrored or recoloured, on which it gives the same
    n_copies INTEGER NOT NULL CHECK (n_copies >= 0),
    credit INTEGER NOT NULL CHECK (credit BETWEEN 0 AND 1000),
    steps INTEGER NOT NULL,
    proposer TEXT NOT NULL,
    family TEXT NOT NULL,
    bits REAL NOT NULL,
    found_at REAL NOT NULL,
    found_s REAL NOT NULL,
    -- JSON: for each test input a grid or null
    outputs TEXT,
    PRIMARY KEY (program_id, task_id)
) WITHOUT ROWID;

-- Best first, for selection and eviction.
CREATE INDEX trials_by_task ON trials (task_id, n_fitted DESC, credit DESC, steps);

CREATE INDEX trials_with_outputs ON trials (task_id, found_s) WHERE outputs IS NOT NULL;

-- Programs that were seen and not kept, so that they are not tried again.
CREATE TABLE dropped (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 16)
) WITHOUT ROWID;

-- Work that a proposer has finished on a task, with its counts as a JSON object.
CREATE TABLE work (
    id INTEGER PRIMARY KEY,
    task_id INTEGER NOT NULL REFERENCES tasks (id),
    proposer TEXT NOT NULL,
    item TEXT NOT NULL,
    counts TEXT NOT NULL,
    done_at REAL NOT NULL,
    UNIQUE (task_id, proposer, item)
);

-- The state from which a run is resumed, as JSON.
CREATE TABLE state (
    key TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Cached values by program, task (empty: none) and version; `used` grows with every use, and the
-- least recently used values are dropped first.
CREATE TABLE cache (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    program BLOB NOT NULL,
    task BLOB NOT NULL,
    version TEXT NOT NULL,
    value BLOB NOT NULL,
    used INTEGER NOT NULL,
    UNIQUE (kind, program, task, version)
);

CREATE INDEX cache_by_use ON cache (kind, used);

-- Size and measured use of each kind of cache.
CREATE TABLE cache_totals (
    kind TEXT PRIMARY KEY,
    n_rows INTEGER NOT NULL DEFAULT 0,
    n_bytes INTEGER NOT NULL DEFAULT 0,
    n_hits INTEGER NOT NULL DEFAULT 0,
    n_misses INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TRIGGER cache_grows AFTER INSERT ON cache BEGIN
    UPDATE cache_totals SET n_rows = n_rows + 1, n_bytes = n_bytes + length(NEW.value)
    WHERE kind = NEW.kind;
END;

CREATE TRIGGER cache_shrinks AFTER DELETE ON cache BEGIN
    UPDATE cache_totals SET n_rows = n_rows - 1, n_bytes = n_bytes - length(OLD.value)
    WHERE kind = OLD.kind;
END;
