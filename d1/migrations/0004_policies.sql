-- Policies that were pushed, such as calibrated ones. A policy is never changed: `id` is made from its settings, and the
-- same settings pushed again are the same row, with the pin and evidence of the last time. `pin` says which collection it
-- was calibrated on and how that stood; NULL for one that is not. `evidence` is what its promise rests on. Both are JSON.
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

-- Who chose which policy, when and why, stands in the audit trail: read there without its other entries.
CREATE INDEX policy_choices ON audit_events (tenant, at_ms, id) WHERE type = 'POLICY_CHOSEN';
