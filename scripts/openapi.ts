/**
 * Writes the description of the API, which the Worker serves among its assets, from the table of operations.
 *
 *   node scripts/run.mjs scripts/openapi.ts
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeApi } from '../workers/gate/api/openapi.ts'
import { OPERATIONS } from '../workers/gate/api/operations.ts'
import { SCHEMAS } from '../workers/gate/api/shapes.ts'
import { ROOT } from './local-gate.ts'

/** Where it stands. */
export const DESCRIPTION = 'workers/gate/public/v1/openapi.json'

/** The description as it should stand there. */
export function descriptionText(): string {
  return `${JSON.stringify(describeApi(OPERATIONS, SCHEMAS), undefined, 1)}\n`
}

if (import.meta.main) {
  mkdirSync(dirname(join(ROOT, DESCRIPTION)), { recursive: true })
  writeFileSync(join(ROOT, DESCRIPTION), descriptionText())
}
