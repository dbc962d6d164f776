/**
 * Headers over others, which they displace by name; cookies are those of both.
 *
 * @param only which names of those over the others are taken. Default: all
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
