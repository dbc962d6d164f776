/**
 * Most characters of one batch: at three UTF-8 bytes each it stays below 1 MB, half of what D1 takes as a string.
 *
 * @see https://developers.cloudflare.com/d1/platform/limits/
 */
const MAX_CHARACTERS = 300_000

/**
 * Values as the texts of JSON arrays, in order, each text short enough to be bound to one D1 statement and read there
 * with `json_each`. A value too long for that stands alone. Numbers that are not finite become `null`.
 *
 * @returns no text for no values
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
