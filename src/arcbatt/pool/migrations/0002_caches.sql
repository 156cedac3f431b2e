-- What is remembered of a program on a task (no task: of the program alone) under a version of the
-- language. `used` grows with every use; the least goes first.
CREATE TABLE cache (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    program BLOB NOT NULL,
    task BLOB NOT NULL,
    language TEXT NOT NULL,
    value BLOB NOT NULL,
    used INTEGER NOT NULL,
    UNIQUE (kind, program, task, language)
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
