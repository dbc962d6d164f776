/** The thread behind `squad-decisions.ts`: a separate isolate with empty caches. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Evidence } from '../../src/core/evidence/evidence.ts'
import { decodeLexicon } from '../../src/core/text/lexicon.ts'
import { measure } from '../../src/core/policy/measure.ts'
import { createMemory } from '../../src/core/signals/signal.ts'
import { spreadOf } from './spread.ts'
import type { Asked, EnglishCosts, IsolateTask } from './squad-decisions.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'

const lasting = createMemory()
const policy = balanced()

/** Number of decisions before the timed ones, so that the code is compiled. */
const WARM_UP = 4000

// Provided by `squad-decisions.ts`.
const { lexicon: encoded, before, asked } = workerData as IsolateTask
const lexicon = decodeLexicon(encoded)

/** Time of a decision, microseconds. */
function timed({ question, json }: Asked): number {
  // New strings, as from an index.
  const evidence = JSON.parse(json) as Evidence
  const startedMs = performance.now()
  measure(policy, { question, evidence, lexicon, lasting })
  return (performance.now() - startedMs) * 1000
}

const first = timed(before[0]!)
for (let at = 0; at < WARM_UP; at++) {
  const { question, json } = before[at % before.length]!
  timed({ question, json: json.replaceAll('"text":"', `"text":"${at}${'x'.repeat(at % 251)}: `) })
}
const unread = spreadOf(asked.map(timed)).median
// A text is cached when it comes the second time.
asked.forEach(timed)
const remembered = spreadOf(asked.map(timed)).median
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort!.postMessage({ first, unread, remembered } satisfies EnglishCosts)
