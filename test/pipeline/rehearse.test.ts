import { beforeEach, expect, it, vi } from 'vitest'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'

/** The default policy, and how many chunks it was asked to judge each time. */
function watched(): { readonly policy: Policy; readonly judged: number[] } {
  const judged: number[] = []
  const { name, confidence, bands, gates } = balanced()
  const watching = gates.map(({ gate, settings }) => ({
    gate: {
      ...gate,
      check: (...[own, input]: Parameters<typeof gate.check>) => {
        judged.push(input.signals.chunkCount)
        return gate.check(own, input)
      },
    },
    settings,
  }))
  return { policy: definePolicy({ name, confidence, bands, gates: watching }), judged }
}

beforeEach(() => vi.resetModules())
const rehearsal = (): Promise<typeof import('../../src/pipeline/rehearse.ts')> =>
  import('../../src/pipeline/rehearse.ts')

it('decides once in an isolate', async () => {
  const { rehearse } = await rehearsal()
  const { policy, judged } = watched()
  rehearse(policy)
  expect(judged).toEqual([3])
  rehearse(policy)
  expect(judged).toEqual([3])
})

it('does nothing that a Worker must not do while it starts', async () => {
  const forbidden = vi.fn<() => never>(() => {
    throw new Error('Disallowed operation called within global scope')
  })
  vi.stubGlobal('setTimeout', forbidden)
  vi.stubGlobal('fetch', forbidden)
  vi.stubGlobal('crypto', { getRandomValues: forbidden, randomUUID: forbidden, subtle: { digest: forbidden } })
  try {
    const { rehearse } = await rehearsal()
    rehearse(watched().policy)
  } finally {
    vi.unstubAllGlobals()
  }
  expect(forbidden).not.toHaveBeenCalled()
})
