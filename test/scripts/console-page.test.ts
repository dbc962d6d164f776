import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pageFiles } from '../../scripts/console-page.ts'
import { ROOT } from '../../scripts/local-gate.ts'

test('the generated dashboard matches its sources: node scripts/run.mjs scripts/console-page.ts writes it', async () => {
  const files = Object.entries(await pageFiles())
  expect(files.length).toBe(6)
  for (const [path, text] of files) expect(readFileSync(join(ROOT, path), 'utf8') === text, path).toBe(true)
})

test('the dashboard loads nothing from other hosts or absolute paths', async () => {
  const { 'workers/gate/public/v1/dashboard.html': page = '', ...others } = await pageFiles()
  const addresses = Array.from(page.matchAll(/(?:href|src)="([^"]*)"/g), ([, address]) => address)
  expect(addresses.length).toBeGreaterThan(4)
  expect(addresses.filter((address) => !/^(?:#|\.\/|data:image\/svg)/.test(address!))).toEqual([])
  expect(others['workers/gate/public/v1/dashboard.js']).not.toContain('/v1/')
  expect(others['workers/gate/public/v1/dashboard.css']).not.toMatch(/url\(|@import/)
})
