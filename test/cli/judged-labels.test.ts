import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { RerankerOutcome } from '../../src/core/evidence/rerank.ts'
import { type AskingOptions, askLabels, readerFailed } from '../../packages/cli/src/judged-labels.ts'
import { signalsOf } from '../fixtures/evidence.ts'
import { answering, upstreamOfTests } from '../fixtures/scripted-upstream.ts'
import { aFolder } from './folder.ts'

const gate = upstreamOfTests()
const folder = aFolder()
const SILENT = { progress: { show: () => undefined, end: () => undefined }, note: () => undefined }
const LABELS = ['How is it kept?', 'Who may read it?'].map((question) => ({
  question,
  answerable: true,
  relevantIds: [],
  kind: 'answerable',
}))

/** How a gate answers operators, whose reader did so. */
const judgedAs = (reranker: RerankerOutcome) =>
  answering(
    JSON.stringify({
      verdict: 'pass',
      reason_code: 'passed',
      detail: { confidence: 0.9, signals: signalsOf({}), reranker, findings: [], gates: [], chunks: [] },
    }),
  )

it.each<[AskingOptions['mode'], RerankerOutcome, number]>([
  ['judgements', 'failed', 2],
  ['judgements', 'timeout', 2],
  ['judgements', 'ok', 0],
  ['judgements', 'off', 0],
  ['answers', 'failed', 0],
])('%s whose reader was %j are asked again: %i of two', async (mode, reranker, again) => {
  const results = folder.put('results.jsonl', '')
  const options: AskingOptions = { gate: { url: gate().url }, collection: 'default', parallel: 1, results, mode }
  gate().answerWith(judgedAs(reranker))
  const first = await askLabels(LABELS, options, SILENT)
  expect(first.map(readerFailed)).toEqual(LABELS.map(() => reranker === 'failed' || reranker === 'timeout'))
  const calls = gate().calls()
  gate().answerWith(judgedAs('ok'))
  const second = await askLabels(LABELS, options, SILENT)
  expect(gate().calls() - calls).toBe(again)
  expect(second.map((result) => result.reranker)).toEqual(LABELS.map(() => (again > 0 ? 'ok' : reranker)))
})

it('a result after a truncated line is reused', async () => {
  const results = folder.put('results.jsonl', '{"key":"cut')
  const options: AskingOptions = {
    gate: { url: gate().url },
    collection: 'default',
    parallel: 1,
    results,
    mode: 'answers',
  }
  gate().answerWith(judgedAs('off'))
  await askLabels(LABELS, options, SILENT)
  const calls = gate().calls()
  await askLabels(LABELS, options, SILENT)
  expect(gate().calls()).toBe(calls)
})

it('asks again for a result that lacks a figure', async () => {
  const results = folder.put('results.jsonl', '')
  const options: AskingOptions = {
    gate: { url: gate().url },
    collection: 'default',
    parallel: 1,
    results,
    mode: 'answers',
  }
  gate().answerWith(judgedAs('off'))
  await askLabels(LABELS, options, SILENT)
  const [first, second] = readFileSync(results, 'utf8').trim().split('\n')
  const { confidence: _, ...damaged } = JSON.parse(second!) as { confidence: number }
  folder.put('results.jsonl', `${first}\n${JSON.stringify(damaged)}\n`)
  const calls = gate().calls()
  const asked = await askLabels(LABELS, options, SILENT)
  expect(asked.map(({ confidence }) => confidence)).toEqual([0.9, 0.9])
  expect(gate().calls() - calls).toBe(1)
})

it('an unwritable results file is reported before any question is asked', async () => {
  const results = `${folder.path}/missing/results.jsonl`
  const options: AskingOptions = {
    gate: { url: gate().url },
    collection: 'default',
    parallel: 1,
    results,
    mode: 'answers',
  }
  const calls = gate().calls()
  for (const fresh of [false, true])
    await expect(askLabels(LABELS, { ...options, fresh }, SILENT)).rejects.toMatchObject({
      name: 'CommandError',
      message: expect.stringContaining('cannot be written'),
    })
  expect(gate().calls()).toBe(calls)
})
