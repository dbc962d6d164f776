/** SQL of erasure by a list of places (`json_each`, which drizzle does not support), and by a trigger. */

/** Deletes the texts of questions that the tenant `?1` asked at the places `?2`, a JSON list. */
export const DROP_TEXTS = `DELETE FROM question_texts WHERE tenant = ?1 AND question_hmac IN (
    SELECT question_hmac FROM decisions WHERE place IN (SELECT value FROM json_each(?2))
  )`

/**
 * Erases a principal's decisions at these places by a trigger, which also records the progress, unless the erasure was
 * requested again since `?5`.
 */
export const ERASE = `INSERT INTO erased_decisions
  SELECT ?1, ?2, ?3, iif(requested_ms = ?5, ?4, decided_until_place) FROM erasures
  WHERE tenant = ?1 AND principal_id = ?2`
