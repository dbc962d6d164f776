/** Stores texts in lists of any length with `json_each`; each list is bound as one value. */

/** `WHERE true` tells the parser that `ON` does not begin a join condition. */
export const PUT = `INSERT INTO chunk_texts (namespace, id, passage)
  SELECT ?1, json_extract(value, '$.id'), value FROM json_each(?2) WHERE true
  ON CONFLICT (namespace, id) DO UPDATE SET passage = excluded.passage`

export const GET = `SELECT id, passage FROM chunk_texts WHERE namespace = ?1 AND id IN (SELECT value FROM json_each(?2))`

export const DELETE = `DELETE FROM chunk_texts WHERE namespace = ?1 AND id IN (SELECT value FROM json_each(?2))`
