import { expect, test } from 'vitest'
import { CONSOLE_ROUTES } from '../../../packages/console/src/api/routes.ts'
import { OPERATIONS } from '../../../workers/gate/api/operations.ts'
import { ROUTES } from '../../../workers/gate/routes.ts'

test('every route that is served is described, and every one described is served', () => {
  const ofConsole = CONSOLE_ROUTES.map(([method, path]) => [method, `/v1${path}`] as const)
  const served = [...ROUTES, ...ofConsole].map(
    ([method, path]) => `${method} ${path.replaceAll(/:(\w+)(\{.*?\})?/g, '{$1}')}`,
  )
  const described = OPERATIONS.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  // An asset.
  const asset = 'GET /v1/openapi.json'
  expect(served.length).toBeGreaterThan(20)
  expect([...served, asset].sort()).toEqual(described.sort())
})
