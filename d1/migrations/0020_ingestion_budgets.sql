-- What each principal ingested on the last day on which it did: one row, which the next day begins anew.
CREATE TABLE ingestion_budgets (
  tenant TEXT NOT NULL,
  principal TEXT NOT NULL,
  day_ms INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (tenant, principal)
) WITHOUT ROWID;
