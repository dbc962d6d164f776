/** The dashboard: a page over the console's API, at the same path. */
import { Hono } from 'hono/tiny'
import { PAGE, SCRIPT, STYLE } from './files.ts'

/** No external resources, no HTML from strings, no inline scripts or styles, no framing. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
}

const FILES = [
  ['/dashboard', 'text/html', PAGE],
  ['/dashboard.js', 'text/javascript', SCRIPT],
  ['/dashboard.css', 'text/css', STYLE],
] as const

/**
 * The dashboard as an app, to be mounted at the path of the console: it is served at `dashboard` below that path, which
 * redirects there.
 *
 * @example
 * app.route('/console', console({ db, authenticate }))
 * app.route('/console', consolePage())
 */
export function consolePage(): Hono {
  const app = new Hono()
  for (const [path, type, text] of FILES) {
    app.get(path, (c) => c.body(text, 200, { ...HEADERS, 'content-type': `${type}; charset=utf-8` }))
  }
  app.get('/', (c) => c.redirect(`${c.req.path.replace(/\/$/, '')}/dashboard`))
  return app
}
