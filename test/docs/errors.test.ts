import { expect, test } from 'vitest'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { CONSOLE_STATUS } from '../../packages/console/src/errors.ts'
import { INGEST_STATUS } from '../../packages/ingest/src/errors.ts'
import type { RagGateErrorCode } from '../../src/errors.ts'
import { statusOf } from '../../src/middleware/respond.ts'
import { WORKER_STATUS } from '../../workers/gate/errors.ts'
import { errorCodes } from './error-codes.ts'
import { read } from './pages.ts'

test('docs/reference/http-api.md lists every error code with its status', () => {
  const further: Record<string, ContentfulStatusCode> = { ...INGEST_STATUS, ...CONSOLE_STATUS, ...WORKER_STATUS }
  const answered = errorCodes().map((code) => [code, String(statusOf(code as RagGateErrorCode, further))])

  const rows = read('docs/reference/http-api.md').matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (\d{3}) \|/gm)
  const told = Array.from(rows, ([, names, status]) => names!.split(', ').map((name) => [name.slice(1, -1), status!]))
  expect(Object.fromEntries(told.flat())).toEqual(Object.fromEntries(answered))
})

test('no code has two meanings: gate, console and ready Worker share none', () => {
  expect(new Set(errorCodes()).size).toBe(errorCodes().length)
})
