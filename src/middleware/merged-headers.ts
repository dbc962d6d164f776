import type { Context } from 'hono'

/**
 * The headers that a response has so far. Asked for by `c.res`, Hono would make a response of them, whose headers then
 * count before those of one that a handler makes by itself.
 */
export function outerHeaders(c: Context): Headers {
  return c.newResponse(null, 200).headers
}

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
