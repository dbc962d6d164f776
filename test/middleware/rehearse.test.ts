import { beforeEach, expect, it, vi } from 'vitest'
import { balanced } from '../../src/presets/balanced/balanced.ts'

beforeEach(() => vi.resetModules())
const rehearsal = (): Promise<typeof import('../../src/middleware/rehearse.ts')> =>
  import('../../src/middleware/rehearse.ts')

it('answers one question and refuses another, once in an isolate', async () => {
  const { rehearse } = await rehearsal()
  const first = rehearse(balanced())
  expect(await first).toEqual([true, false])
  expect(rehearse(balanced())).toBe(first)
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
    expect(await rehearse(balanced())).toEqual([true, false])
  } finally {
    vi.unstubAllGlobals()
  }
  expect(forbidden).not.toHaveBeenCalled()
})

it('tells nobody of its questions', async () => {
  const said = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error'), vi.spyOn(console, 'log')]
  try {
    const { rehearse } = await rehearsal()
    await rehearse(balanced())
    for (const spy of said) expect(spy).not.toHaveBeenCalled()
  } finally {
    for (const spy of said) spy.mockRestore()
  }
})
