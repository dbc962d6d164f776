/**
 * Most characters of one batch: at three UTF-8 bytes each it stays below 1 MB, half the longest string of D1.
 *
 * @see https://developers.cloudflare.com/d1/platform/limits/
 */
const MAX_CHARACTERS = 300_000

/**
 * Writes values, in order, as JSON arrays that are short enough to be bound to one D1 statement and read there with
 * `json_each`. A longer value gets an array of its own. Numbers that are not finite become `null`.
 *
 * @returns JSON texts; none without values
 */
export function jsonBatches(values: Iterable<unknown>): string[] {
  const batches: string[] = []
  let members: string[] = []
  let characters = 0
  for (const value of values) {
    const member = JSON.stringify(value)
    if (members.length > 0 && characters + member.length > MAX_CHARACTERS) {
      batches.push(`[${members.join(',')}]`)
      members = []
      characters = 0
    }
    members.push(member)
    characters += member.length + 1
  }
  if (members.length > 0) batches.push(`[${members.join(',')}]`)
  return batches
}
