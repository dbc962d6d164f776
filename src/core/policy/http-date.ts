/** Dates of HTTP headers. */

/**
 * Parses a date in one of HTTP's three formats, to milliseconds since 1970.
 *
 * @param nowMs a two-digit year more than 50 years after this belongs to the previous century
 * @returns `undefined` for anything else, also where other parsers guess
 * @see RFC 9110, section 5.6.7
 */
export function httpDateMs(text: string, nowMs: number): number | undefined {
  const fixed = text
    .replace(
      /^(\w{3})[a-z]*day, (\d\d)-(\w{3})-(\d\d) /,
      (_, name: string, day: string, month: string, year: string) =>
        `${name}, ${day} ${month} ${fullYear(Number(year), new Date(nowMs).getUTCFullYear())} `,
    )
    .replace(
      /^(\w{3}) (\w{3}) ([ \d]\d) ([\d:]{8}) (\d{4})$/,
      (_, name: string, month: string, day: string, time: string, year: string) =>
        `${name}, ${day.replace(' ', '0')} ${month} ${year} ${time} GMT`,
    )
  const atMs = Date.parse(fixed)
  // Rejects dates such as 31 February, which do not format back to the same text.
  return Number.isFinite(atMs) && new Date(atMs).toUTCString() === fixed ? atMs : undefined
}

function fullYear(digits: number, thisYear: number): number {
  const year = Math.floor(thisYear / 100) * 100 + digits
  return year > thisYear + 50 ? year - 100 : year
}
