/**
 * Generates the API description, which is one of the Worker's assets, from the table of operations.
 *
 *   node scripts/run.mjs scripts/openapi.ts
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeApi } from '../workers/gate/api/openapi.ts'
import { OPERATIONS } from '../workers/gate/api/operations.ts'
import { SCHEMAS } from '../workers/gate/api/shapes.ts'
import { ROOT } from './local-gate.ts'

/** Path of the generated file. */
export const DESCRIPTION = 'workers/gate/public/v1/openapi.json'

/** Content of the generated file. */
export function descriptionText(): string {
  return `${JSON.stringify(describeApi(OPERATIONS, SCHEMAS), undefined, 1)}\n`
}

if (import.meta.main) {
  mkdirSync(dirname(join(ROOT, DESCRIPTION)), { recursive: true })
  writeFileSync(join(ROOT, DESCRIPTION), descriptionText())
}
