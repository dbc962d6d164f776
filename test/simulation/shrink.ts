/** Shortens a failing run: removes the steps, and then the faults, without which it still fails. */
import { type Run, simulate } from './simulate.ts'
import type { Step } from './steps.ts'

/** A short failing run. */
export interface Shrunk {
  readonly steps: readonly Step[]
  readonly run: Run
}

/**
 * @param steps of a run that broke a rule
 * @param tries maximum number of runs
 * @returns steps that break the same rule
 */
export async function shrink(seed: number, steps: readonly Step[], failed: Run, tries = 300): Promise<Shrunk> {
  const rule = failed.violations[0]?.rule
  let shrunk: Shrunk = { steps, run: failed }
  let left = tries
  const attempt = async (fewer: readonly Step[]): Promise<boolean> => {
    if (left-- <= 0) return false
    const run = await simulate(seed, fewer)
    if (run.violations[0]?.rule !== rule) return false
    shrunk = { steps: fewer, run }
    return true
  }
  for (let size = Math.ceil(steps.length / 2); ; size = Math.ceil(size / 2)) {
    // From the end: steps after the fault have no part in it.
    for (let end = shrunk.steps.length; end > 0; end -= size) {
      await attempt([...shrunk.steps.slice(0, Math.max(0, end - size)), ...shrunk.steps.slice(end)])
    }
    if (size === 1 || left <= 0) break
  }
  for (const [at, step] of shrunk.steps.entries()) {
    if (step.faulty > 0) await attempt(shrunk.steps.with(at, { ...step, faulty: 0 }))
  }
  return shrunk
}
