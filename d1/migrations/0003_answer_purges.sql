-- What was purged of the cached answers. Stores of answers cannot list what they hold: whoever reads an answer looks here
-- whether one of its scopes was purged after it was made. `tenant` is '' for a purge of everything. `epoch` rises with
-- every purge, over all tenants, and is never lower than the time of the purge.
CREATE TABLE answer_purges (
  tenant TEXT NOT NULL,
  scope TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  PRIMARY KEY (tenant, scope)
) STRICT;

CREATE INDEX answer_purges_by_epoch ON answer_purges (tenant, epoch);
