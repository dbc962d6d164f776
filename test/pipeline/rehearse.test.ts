import { expect, it } from 'vitest'
import { createTermReader } from '../../src/core/text/terms.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import type { QuestionPorts } from '../../src/pipeline/question-settings.ts'
import { createRehearsal } from '../../src/pipeline/rehearse.ts'
import { plainCollection } from '../../src/ports/collections.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { ASKED, SETTINGS } from '../fixtures/answering.ts'
import { rankingOf } from '../fixtures/gate.ts'

const TEXT = 'The punishment for murder is imprisonment.'

/** The default policy, and how many chunks it was asked to judge each time. */
function watched(check: () => void = () => undefined): { readonly policy: Policy; readonly judged: number[] } {
  const judged: number[] = []
  const { name, confidence, bands, gates } = balanced()
  const watching = gates.map(({ gate, settings }) => ({
    gate: {
      ...gate,
      check: (...[own, input]: Parameters<typeof gate.check>) => {
        judged.push(input.signals.chunkCount)
        check()
        return gate.check(own, input)
      },
    },
    settings,
  }))
  return { policy: definePolicy({ name, confidence, bands, gates: watching }), judged }
}

/** Ports whose retriever waits so long, milliseconds; not at all for 0. */
function portsWaiting(waitMs: number): QuestionPorts {
  return {
    clock: { nowMs: () => 1_000_000 },
    collections: {
      find: async (tenant, id) => plainCollection({ tenant, id, corpusVersion: 1 }),
      lexicon: async () => {
        throw new Error('There is none')
      },
    },
    retriever: {
      retrieve: async () => {
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
        return rankingOf([TEXT])
      },
    },
    terms: createTermReader(),
    rehearsal: createRehearsal(),
  }
}

it('decides once while the first retrieval is waited for, and never again', async () => {
  const { policy, judged } = watched()
  const ports = portsWaiting(20)
  const first = await gateQuestion(ports, { ...SETTINGS, policy: () => policy }, ASKED)
  const second = await gateQuestion(ports, { ...SETTINGS, policy: () => policy }, ASKED)
  expect(judged).toEqual([3, 1, 1])
  expect(first).toMatchObject({ kind: 'judged', decision: { signals: { chunkCount: 1 } } })
  if (first.kind === 'judged' && second.kind === 'judged') {
    expect({ ...first.decision, id: '' }).toEqual({ ...second.decision, id: '' })
  }
})

it('decides nothing where the retriever waits for nothing, nor where it fails', async () => {
  const { policy, judged } = watched()
  const settings = { ...SETTINGS, policy: () => policy }
  await gateQuestion(portsWaiting(0), settings, ASKED)
  const failing = { ...portsWaiting(0), retriever: { retrieve: () => Promise.reject(new Error('down')) } }
  await expect(gateQuestion(failing, settings, ASKED)).rejects.toMatchObject({ code: 'retriever_unavailable' })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(judged).toEqual([1])
})

it('is no error where the policy fails, which the decision will say', async () => {
  const { policy } = watched(() => {
    throw new Error('broken')
  })
  await expect(gateQuestion(portsWaiting(20), { ...SETTINGS, policy: () => policy }, ASKED)).rejects.toThrow('broken')
})
