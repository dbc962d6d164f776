/**
 * Merges two sets of headers: those of `over` replace those of `under` by name, except that cookies of both are kept.
 *
 * @param only names taken from `over`. Default: all
 */
export function mergedHeaders(under: Headers, over: Headers, only = /^/): Headers {
  const headers = new Headers(under)
  const cookies = new Set(under.getSetCookie())
  for (const [name, value] of over) {
    if (!only.test(name)) continue
    if (name === 'set-cookie') cookies.add(value)
    else headers.set(name, value)
  }
  headers.delete('set-cookie')
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return headers
}
