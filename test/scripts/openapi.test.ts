import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../scripts/local-gate.ts'
import { DESCRIPTION, descriptionText } from '../../scripts/openapi.ts'

test('the description of the API is that of the table: node scripts/run.mjs scripts/openapi.ts writes it', () => {
  expect(readFileSync(join(ROOT, DESCRIPTION), 'utf8')).toBe(descriptionText())
})
