-- The jobs of the cron trigger. `ran_ms` is when one was last run; `behind_since_ms` when it was first run of those runs, up to
-- the last, that left work over or failed, NULL where the last left none. `failed` is 1 where the last run threw. `cursor` is
-- where the job goes on, as JSON of its own.
CREATE TABLE jobs (
  name TEXT NOT NULL PRIMARY KEY,
  ran_ms INTEGER,
  behind_since_ms INTEGER,
  failed INTEGER NOT NULL,
  cursor TEXT
) STRICT, WITHOUT ROWID;
