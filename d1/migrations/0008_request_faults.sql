-- Requests that ended with a status of 400 and up, by UTC hour. Each isolate counts for itself: what it writes again is not
-- counted again. `route` is a route of the API or 'other', `code` that of the error, '' where it has none.
CREATE TABLE request_faults (
  hour_ms INTEGER NOT NULL,
  route TEXT NOT NULL,
  status INTEGER NOT NULL,
  code TEXT NOT NULL,
  isolate TEXT NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (hour_ms, route, status, code, isolate)
) STRICT, WITHOUT ROWID;
