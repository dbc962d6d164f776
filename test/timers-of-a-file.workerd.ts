import { expect, test, vi } from 'vitest'
import { endTimers } from './timers-of-a-file.ts'

test('what a file left waiting does not happen in the next, also after fake timers, or with modules loaded anew', async () => {
  vi.useFakeTimers()
  vi.useRealTimers()
  const late = vi.fn<() => void>()
  setTimeout(late, 20)
  vi.resetModules()
  const anew = await import('./timers-of-a-file.ts')
  expect(anew.endTimers).not.toBe(endTimers)
  setTimeout(late, 20)
  anew.endTimers()
  await scheduler.wait(60)
  expect(late).not.toHaveBeenCalled()
  await new Promise<void>((resolve) => setTimeout(resolve, 20))
})
