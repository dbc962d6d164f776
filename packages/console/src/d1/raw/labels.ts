/** Labels that came before their decision: joined to a `json_each` list, which drizzle has no word for in an update. */

/** Copies what a label has of its decision to those of `?2`, a JSON array of ids and of the places in which each can stand. */
export const FILL = `UPDATE feedback SET verdict = decided.verdict, policy_id = decided.policy_id, collection = decided.collection,
    decided_ms = decided.at_ms
  FROM json_each(?2) AS label JOIN decisions AS decided
    ON decided.tenant = ?1 AND decided.place >= label.value ->> 1 AND decided.place < label.value ->> 2 AND decided.id = label.value ->> 0
  WHERE feedback.event_id = decided.id AND feedback.tenant = ?1`
