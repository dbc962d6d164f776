import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../scripts/local-gate.ts'
import { DESCRIPTION, descriptionText } from '../../scripts/openapi.ts'

test('the API description matches the table: node scripts/run.mjs scripts/openapi.ts writes it', () => {
  expect(readFileSync(join(ROOT, DESCRIPTION), 'utf8')).toBe(descriptionText())
})

test('the Worker serves only routes of the tables, beside its assets', () => {
  const source = readFileSync(join(ROOT, 'workers/gate/index.ts'), 'utf8')
  expect(source.match(/\bapp\s*\.(?:get|post|put|patch|delete|options|on|all|route|mount)\([^,)]*/g)).toEqual([
    'app.on(method',
    "app.route(\n  '/v1'",
    'app.all(path',
    "app.get('*'",
  ])
})
