import { expect, test } from 'vitest'
import { CACHE_OPTIONS } from '../../src/cache/check-options.ts'
import type { OptionKind } from '../../src/core/lib/options.ts'
import { ROUTE_OPTIONS } from '../../src/middleware/check-options.ts'
import { DEPENDENCIES } from '../../src/middleware/dependencies.ts'

/** It may only be lowered: for a new option another one goes. */
const MOST = 40

/** Names of options, those of groups by their members. `dependencies` is a group, `vary` and a passage filter are values. */
function namesOf(options: object): string[] {
  return Object.entries(options).flatMap(([name, kind]: [string, OptionKind]) => {
    if (name === 'dependencies') return namesOf(DEPENDENCIES)
    return kind.options === undefined || name === 'vary' ? [name] : namesOf(kind.options)
  })
}

test(`a route, its dependencies and its cache have at most ${MOST} options in total`, () => {
  const names = [...namesOf(ROUTE_OPTIONS), ...namesOf(CACHE_OPTIONS)]
  expect(names.length, names.join(', ')).toBeLessThanOrEqual(MOST)
})
