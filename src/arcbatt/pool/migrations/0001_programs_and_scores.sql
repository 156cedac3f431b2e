-- One deal of the search: parents drawn with this seed.
CREATE TABLE cards (
    id INTEGER PRIMARY KEY,
    seed INTEGER NOT NULL,
    size INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    started_at REAL NOT NULL,
    UNIQUE (seed, size, generation, started_at)
);

-- A program is what its digest says; text is its straight-line form under its name.
CREATE TABLE programs (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 16),
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('solver', 'differ')),
    n_calls INTEGER NOT NULL,
    -- 'library', 'import', or the mutation that made it
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

-- A task is what its digest says; name and set are those under which it was met first.
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 16),
    name TEXT NOT NULL,
    set_name TEXT NOT NULL
);

CREATE INDEX tasks_by_name ON tasks (name);

CREATE TABLE scores (
    program_id INTEGER NOT NULL REFERENCES programs (id) ON DELETE CASCADE,
    task_id INTEGER NOT NULL REFERENCES tasks (id),
    n_matched INTEGER NOT NULL,
    n_demos INTEGER NOT NULL CHECK (n_demos > 0 AND n_matched BETWEEN 0 AND n_demos),
    score INTEGER NOT NULL GENERATED ALWAYS AS (1000 * n_matched) VIRTUAL,
    solved INTEGER NOT NULL GENERATED ALWAYS AS (n_matched = n_demos) VIRTUAL,
    partial INTEGER NOT NULL CHECK (partial BETWEEN 0 AND 1000),
    steps INTEGER NOT NULL,
    found_at REAL NOT NULL,
    PRIMARY KEY (program_id, task_id)
) WITHOUT ROWID;

-- Best first: what selection and eviction read.
CREATE INDEX scores_by_task ON scores (task_id, n_matched DESC, partial DESC, steps);

-- Programs that were met and are not kept, so that they are not tried again.
CREATE TABLE dropped (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 16)
) WITHOUT ROWID;
