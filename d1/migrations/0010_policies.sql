-- Policies that were pushed, such as calibrated ones. A policy is never changed: `id` is made from its settings, and the
-- same settings pushed again are the same row, with the pin and evidence of the last time. `pin` says which collection it was calibrated on and how that stood;
-- NULL for one that is not. `evidence` is what its promise rests on. Both are JSON.
CREATE TABLE pushed_policies (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  settings TEXT NOT NULL,
  pin TEXT,
  evidence TEXT,
  created_at_ms INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT;

CREATE UNIQUE INDEX pushed_policies_by_version ON pushed_policies (tenant, name, version);

-- Who chose which policy, when and why. `collection` is empty for a choice for the whole tenant; `policy_id` is NULL
-- where the choice was left to the tenant, or to the deployment.
CREATE TABLE policy_choices (
  tenant TEXT NOT NULL,
  collection TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  policy_id TEXT,
  at_ms INTEGER NOT NULL,
  chosen_by TEXT NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (tenant, collection, sequence)
) STRICT, WITHOUT ROWID;
