/** Dates of HTTP headers. */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'
const FORMS = [
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d\\d) (?<month>\\w{3}) (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(
    `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-(?<month>\\w{3})-(?<year>\\d\\d) ${TIME} GMT$`,
  ),
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>\\w{3}) (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
]

/**
 * Milliseconds since 1970 of a date in one of the three forms of HTTP.
 *
 * @param nowMs a year of two digits more than 50 years ahead of this is of the century before
 * @returns `undefined` for anything else, also where other parsers guess
 * @see RFC 9110, section 5.6.7
 */
export function httpDateMs(text: string, nowMs: number): number | undefined {
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups
    if (parts === undefined) continue
    const { day, month, hour, minute, second } = parts
    const [at, days] = [MONTHS.indexOf(month!), Number(day)]
    const year = fullYear(parts['year']!, new Date(nowMs).getUTCFullYear())
    const date = new Date(Date.UTC(year, at, days, Number(hour), Number(minute), Number(second)))
    const exists =
      at >= 0 && date.getUTCDate() === days && Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60
    return exists ? date.getTime() : undefined
  }
  return undefined
}

function fullYear(digits: string, thisYear: number): number {
  if (digits.length === 4) return Number(digits)
  const year = Math.floor(thisYear / 100) * 100 + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}
