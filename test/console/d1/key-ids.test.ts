import { expect, it } from 'vitest'
import { createKeyIds } from '../../../packages/console/src/d1/key-ids.ts'

it('an id noted as unknown again removes no other', async () => {
  const names = Array.from({ length: 1000 }, (_, at) => `id ${at}`)
  // Listed, so that only those remembered one by one are unknown.
  const ids = createKeyIds({ unknownMaxAgeMs: 5000, list: async () => names, clock: { nowMs: () => 0 } })
  for (const name of names) ids.noteUnknown(name)
  ids.noteUnknown('id 999')
  expect(await ids.isUnknown('id 0')).toBe(true)
  ids.noteUnknown('one more')
  expect(await ids.isUnknown('id 0')).toBe(false)
})
