import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { boundedCall, faultOf, startDeadline } from '../../../packages/upstream/src/http/deadline.ts'
import { UpstreamFault } from '../../../packages/upstream/src/http/upstream-fault.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const never = (): Promise<never> => new Promise(() => undefined)

describe('a deadline', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('gives results and errors of what is in time', async () => {
    const deadline = startDeadline({ timeoutMs: 10 })
    expect(await deadline.race(Promise.resolve('came'))).toBe('came')
    await expect(deadline.race(Promise.reject(new Error('broke')))).rejects.toThrow('broke')
    expect(deadline.fault).toBeUndefined()
    expect(deadline.signal.aborted).toBe(false)
    deadline.stop()
  })

  it('ends all waits in progress, and those that begin afterwards', async () => {
    const deadline = startDeadline({ timeoutMs: 10 })
    const waits = Promise.allSettled([deadline.race(never()), deadline.race(never())])
    await vi.advanceTimersByTimeAsync(10)
    const reason = deadline.fault
    expect(reason).toMatchObject({ kind: 'timeout' })
    expect(await waits).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ])
    await expect(deadline.race(Promise.resolve('late'))).rejects.toBe(reason)
    expect(deadline.signal.reason).toBe(reason)
  })

  it('runs until its time', async () => {
    const deadline = startDeadline({ timeoutMs: 10 })
    await vi.advanceTimersByTimeAsync(9)
    expect(deadline.fault).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(deadline.fault?.kind).toBe('timeout')
  })

  it.each([
    [100, 'timeout'],
    [101, 'late'],
  ])('whose timer fires %i ms late: %s', (lateMs, kind) => {
    const deadline = startDeadline({ timeoutMs: 10 })
    vi.setSystemTime(Date.now() + lateMs)
    vi.advanceTimersByTime(10)
    expect(deadline.fault?.kind).toBe(kind)
  })

  it('lifted: only the signal ends it', async () => {
    const caller = new AbortController()
    const deadline = startDeadline({ timeoutMs: 10, signal: caller.signal })
    deadline.lift()
    await vi.advanceTimersByTimeAsync(100)
    expect(deadline.fault).toBeUndefined()
    caller.abort()
    expect(deadline.fault?.kind).toBe('aborted')
  })

  it('stopped: nothing ends it', async () => {
    const caller = new AbortController()
    const deadline = startDeadline({ timeoutMs: 10, signal: caller.signal })
    deadline.stop()
    await vi.advanceTimersByTimeAsync(100)
    caller.abort()
    expect(deadline.fault).toBeUndefined()
    expect(deadline.signal.aborted).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  const named = (name: string): Error => Object.assign(new Error('secret'), { name })

  it.each([
    ['without a reason', undefined, 'aborted'],
    ['for an outer deadline', named('TimeoutError'), 'timeout'],
    ['for another error', named('Error'), 'aborted'],
    ['for a time limit of another realm', { name: 'TimeoutError' }, 'timeout'],
    ['for nothing', null, 'aborted'],
    ['for a text', 'TimeoutError', 'aborted'],
  ])('whose caller left %s: %s', (_, reason, kind) => {
    expect(startDeadline({ timeoutMs: 10, signal: AbortSignal.abort(reason) }).fault?.kind).toBe(kind)
    const caller = new AbortController()
    const deadline = startDeadline({ timeoutMs: 10, signal: caller.signal })
    caller.abort(reason)
    expect(deadline.fault?.kind).toBe(kind)
  })

  it('keeps the first fault', async () => {
    const caller = new AbortController()
    const deadline = startDeadline({ timeoutMs: 10, signal: caller.signal })
    caller.abort()
    await vi.advanceTimersByTimeAsync(10)
    expect(deadline.fault?.kind).toBe('aborted')
  })

  it('is the fault, also if the exchange threw something after it', () => {
    const deadline = startDeadline({ timeoutMs: 10 })
    expect(faultOf(new Error('secret'), deadline)).toMatchObject({ kind: 'network', message: 'network' })
    const own = new UpstreamFault('too-large')
    expect(faultOf(own, deadline)).toBe(own)
    vi.advanceTimersByTime(10)
    expect(faultOf(new Error('secret'), deadline)).toBe(deadline.fault)
  })
})

it('keeps no result of a wait that is over', async () => {
  const deadline = startDeadline({ timeoutMs: 60_000 })
  const results: WeakRef<Uint8Array>[] = []
  for (let at = 0; at < 10; at++) {
    const piece = await deadline.race(Promise.resolve(new Uint8Array(1)))
    results.push(new WeakRef(piece))
  }
  await new Promise((resolve) => setTimeout(resolve))
  collectGarbage()
  // The last one may still be in a register.
  expect(results.slice(0, -1).filter((result) => result.deref() !== undefined)).toEqual([])
  deadline.stop()
})

describe('a bounded call', () => {
  it('returns its result', async () => {
    expect(await boundedCall(async () => 'came', { timeoutMs: 1000 })).toBe('came')
  })

  it('is not made after its caller left', async () => {
    const work = vi.fn<typeof never>(never)
    await expect(boundedCall(work, { timeoutMs: 1000, signal: AbortSignal.abort() })).rejects.toMatchObject({
      kind: 'aborted',
    })
    expect(work).not.toHaveBeenCalled()
  })

  it('that throws is a network fault with the code alone', async () => {
    const work = () => {
      throw Object.assign(new Error('secret'), { code: 'ECONNREFUSED' })
    }
    await expect(boundedCall(work, { timeoutMs: 1000 })).rejects.toMatchObject({
      kind: 'network',
      message: 'network',
      code: 'ECONNREFUSED',
    })
  })

  it('that hangs is a timeout, and leaves no timer', async () => {
    vi.useFakeTimers()
    try {
      const call = boundedCall(never, { timeoutMs: 10 }).catch((thrown: unknown) => thrown)
      await vi.advanceTimersByTimeAsync(10)
      expect(await call).toMatchObject({ kind: 'timeout' })
      await boundedCall(async () => 'came', { timeoutMs: 10 })
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
