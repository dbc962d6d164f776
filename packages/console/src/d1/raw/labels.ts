/** SQL for labels that arrived before their decision: an update joined to `json_each`, unsupported by drizzle. */

/** Copies fields of the decision to the labels in `?2`, a JSON array of ids with the range of places of each. */
export const FILL = `UPDATE feedback SET verdict = decided.verdict, policy_id = decided.policy_id, collection = decided.collection,
    mode = decided.mode, decided_ms = decided.at_ms
  FROM json_each(?2) AS label JOIN decisions AS decided
    ON decided.tenant = ?1 AND decided.place >= label.value ->> 1 AND decided.place < label.value ->> 2 AND decided.id = label.value ->> 0
  WHERE feedback.event_id = decided.id AND feedback.tenant = ?1`
