/** Gates that refuse a question itself, whatever evidence was found. */
import type { Signals } from '../signals/measure.ts'
import type { Signal } from '../signals/signal.ts'
import { defineGate, type Gate, plainSettings } from './gate.ts'
import type { Text } from './text.ts'

/**
 * Defines a gate about the question, without settings. The second argument is the code of its refusal, and the text of that code.
 *
 * @param signal the signal that it reads
 * @param problemIn the message for operators; `false` if nothing is wrong
 */
export function questionGate<Name extends string, Code extends string>(
  name: Name,
  [code, text]: readonly [Code, Text],
  signal: Signal,
  problemIn: (signals: Signals) => string | false,
): Gate<{ readonly gate: Name }, Code> {
  return defineGate<{ readonly gate: Name }, Code>({
    name,
    stage: 'pre-generation',
    about: 'question',
    reads: () => [signal],
    // The cast is safe: this is the only code.
    texts: { [code]: text } as Record<Exclude<Code, 'passed'>, Text>,
    validate: plainSettings,
    check: (_settings, { signals }) => {
      const message = problemIn(signals)
      return message === false ? undefined : { outcome: 'refuse', code, message }
    },
  })
}
