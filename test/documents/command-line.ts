/** The command line, asking a route behind `ragGate` in this process. */
import { onTestFinished, vi } from 'vitest'
import type { GateFixture } from '../fixtures/gate.ts'
import { aGate, asOperator } from '../fixtures/gate.ts'
import { type Ran, run } from '../cli/run.ts'

/** What `rag-gate` prints where the gate is this route, told as an operator. */
export async function ragGateCommand(route: GateFixture, ...args: readonly string[]): Promise<Ran> {
  const { app } = aGate({
    // The ready Worker's answers name their sources.
    handler: (c) => c.json({ answer: 'Turn the red key.', sources: [], ...c.var.ragGate.summary }),
    ...route,
    dependencies: { authenticate: asOperator, ...route.dependencies },
  })
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => app.request(new URL(url).pathname, init))
  onTestFinished(() => void vi.unstubAllGlobals())
  return run(args)
}
