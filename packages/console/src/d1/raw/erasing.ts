/** Erasing from a list of places, which drizzle has no word for (`json_each`), and by a trigger. */

/** Texts of the questions of the tenant `?1` that were asked at the places `?2`, a JSON list. */
export const DROP_TEXTS = `DELETE FROM question_texts WHERE tenant = ?1 AND question_hmac IN (
    SELECT question_hmac FROM decisions WHERE place IN (SELECT value FROM json_each(?2))
  )`

/** What stands at these places of a principal, and how far that is: a trigger erases and notes it. */
export const ERASE = `INSERT INTO erased_decisions VALUES (?1, ?2, ?3, ?4)`
