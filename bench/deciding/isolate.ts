/** The thread behind `squad-decisions.ts`: an isolate of its own, which knows no word until it reads one. */
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

/** Decisions before the timed ones, so that the engine has compiled what it will. */
const WARM_UP = 4000

// `squad-decisions.ts` starts the thread with this.
const { lexicon: encoded, before, asked } = workerData as IsolateTask
const lexicon = decodeLexicon(encoded)

/** Microseconds. */
function timed({ question, json }: Asked): number {
  // New strings, as an index sends them.
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
// A text is remembered from its second coming on.
asked.forEach(timed)
const remembered = spreadOf(asked.map(timed)).median
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort!.postMessage({ first, unread, remembered } satisfies EnglishCosts)
