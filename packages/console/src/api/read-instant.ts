/** Parses instants in requests. */

const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d)))?$/

const YEAR_10000 = 253_402_300_800_000

/**
 * Parses an instant of ISO 8601 in the form of RFC 3339: a date (its start in UTC), or a date, a time and an offset.
 *
 * @returns Unix time in milliseconds, or `undefined` for anything else, including dates that do not exist, and instants
 *   after the year 9999 in UTC, which cannot be written in this form
 * @see https://www.rfc-editor.org/rfc/rfc3339#section-5.6
 */
export function readInstant(value: string): number | undefined {
  const read = INSTANT.exec(value)
  if (read === null) return undefined
  const [year, month, day, hours, minutes, seconds] = read.slice(1, 7).map((digits) => Number(digits ?? 0))
  const midnight = Date.UTC(year!, month! - 1, day)
  const date = new Date(midnight)
  // `Date` moves days beyond the month's end to the next month, and shifts years below 100.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month! - 1 || date.getUTCDate() !== day) return undefined
  const milliseconds = Math.trunc(Number(`0.${read[7] ?? '0'}`) * 1000)
  const offset = (Number(read[9] ?? 0) * 60 + Number(read[10] ?? 0)) * (read[8] === '-' ? -1 : 1)
  const instant = midnight + ((hours! * 60 + minutes! - offset) * 60 + seconds!) * 1000 + milliseconds
  return instant < YEAR_10000 ? instant : undefined
}
