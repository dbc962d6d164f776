/** The dashboard under a path of an app. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { consolePage } from '../../packages/console/src/page/console-page.ts'
import { ROOT } from '../../scripts/local-gate.ts'

const app = new Hono().route('/inside/console', consolePage())

test.each([
  ['dashboard', 'text/html', '<!doctype html>'],
  ['dashboard.js', 'text/javascript', 'sessionStorage'],
  ['dashboard.css', 'text/css', '{'],
])('%s is served with the headers that the ready Worker sets', async (name, type, holds) => {
  const response = await app.request(`/inside/console/${name}`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`])
  expect(await response.text()).toContain(holds)
  const given = readFileSync(join(ROOT, 'workers', 'gate', 'public', '_headers'), 'utf8')
  const lines = Array.from(given.matchAll(/^ {2}([\w-]+): (.*)$/gm), ([, header, value]) => [header!, value!] as const)
  expect(lines.length).toBe(6)
  for (const [header, value] of lines) expect(response.headers.get(header), header).toBe(value)
})

test.each([
  ['/inside/console', app, '/inside/console/dashboard'],
  ['/', new Hono().route('/', consolePage()), '/dashboard'],
])('%s redirects to the dashboard', async (path, at, to) => {
  const response = await at.request(path)
  expect([response.status, response.headers.get('location')]).toEqual([302, to])
})
