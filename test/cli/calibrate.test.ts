import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { signalsOf } from '../fixtures/evidence.ts'
import { upstreamOfTests } from '../fixtures/scripted-upstream.ts'
import { aFolder } from './folder.ts'
import { run } from './run.ts'

const gate = upstreamOfTests()
const folder = aFolder()

/** How a gate judges questions of a collection; answers stand out by the word "launch". */
function judging(collection: object, measured = true): { readonly asked: () => number } {
  let asked = 0
  gate().answerWith((response, { url }, body) => {
    const held = { id: 'docs', lexicon_id: 'l', embedding_model: 'words', dimension: 0, reader: null, policy: null }
    if (url === '/v1/collections') {
      return response.end(JSON.stringify({ collections: [{ ...held, corpus_version: 1, ...collection }] }))
    }
    asked++
    const match = body.includes('launch') ? 1 : 0
    const signals = measured ? signalsOf({ sentenceMatch: match, questionLikelihood: match }) : { chunkCount: 1 }
    const detail = { confidence: match, signals, gates: [], findings: [], chunks: [] }
    return response.end(JSON.stringify({ verdict: 'pass', reason_code: 'passed', detail }))
  })
  return { asked: () => asked }
}

const LABELS = Array.from({ length: 60 }, (_, at) => [
  { question: `Which launch is number ${at}?`, answerable: true },
  { question: `Who won cup ${at}?`, answerable: false },
]).flat()

it.each([
  ['the same collection', {}, 0],
  ['other documents', { corpus_version: 2 }, 120],
  ['another embedding', { embedding_model: 'other', dimension: 384 }, 120],
  ['another reader', { reader: 'llm' }, 120],
  ['another policy', { policy: 'two-tier' }, 120],
])('reuses stored judgements only when they were made on the same data and settings: %s', async (_, now, again) => {
  const labels = folder.put('labels.jsonl', LABELS.map((label) => JSON.stringify(label)).join('\n'))
  const [out, results] = [`${folder.path}/policy.json`, `${folder.path}/results.jsonl`]
  const calibrate = () =>
    run(['calibrate', labels, '--collection', 'docs', '--out', out, '--results', results], {
      env: { RAG_GATE_URL: gate().url },
    })
  const first = judging({})
  expect(await calibrate()).toMatchObject({ code: 0, notes: '' })
  expect(first.asked()).toBe(120)
  const second = judging(now)
  const { code, notes } = await calibrate()
  expect({ code, asked: second.asked() }).toEqual({ code: 0, asked: again })
  const kept = `120 of 120 questions are not asked again: ${results} has their results.\n`
  expect(notes).toBe(again === 0 ? kept : '')
  const { pin } = JSON.parse(readFileSync(out, 'utf8')) as { pin: object }
  const { policy: _policy, ...place } = { corpus_version: 1, policy: null, ...now }
  expect(pin).toMatchObject(place)
})

it('counts a question that is listed more than once as one label, with all passages that answer it', async () => {
  const { asked } = judging({})
  const repeated = [
    ...Array.from({ length: 59 }, () => ({ question: 'Who won the cup?', answerable: false })),
    { question: 'Who won\u00a0 the cup?', answerable: false },
    { question: 'Which launch was first?', answerable: true, relevant_ids: ['a'] },
    { question: ' Which launch was first? ', answerable: true, relevant_ids: ['b', 'a'] },
  ]
  const file = folder.put('labels.jsonl', repeated.map((label) => JSON.stringify(label)).join('\n'))
  const results = `${folder.path}/repeated.jsonl`
  const out = `${folder.path}/unused.json`
  expect(
    await run(['calibrate', file, '--collection', 'docs', '--out', out, '--results', results], {
      env: { RAG_GATE_URL: gate().url },
    }),
  ).toMatchObject({
    code: 1,
    out: 'Too few labels: 1 questions to be refused, 45 needed to promise 5 % with certainty 0.9\n',
    notes: expect.stringMatching(/^60 of 62 labels repeat a question: each question counts once\.\n/) as string,
  })
  expect(asked()).toBe(2)
  const bodies: string[] = []
  gate().answerWith((response, { url }, body) => {
    bodies.push(body)
    const held = { id: 'docs', lexicon_id: 'l', embedding_model: 'words', dimension: 0, reader: null, policy: null }
    if (url === '/v1/collections')
      return response.end(JSON.stringify({ collections: [{ ...held, corpus_version: 1 }] }))
    const chunks = [{ id: 'a', document_id: 'd' }]
    const detail = { confidence: 1, signals: signalsOf(), gates: [], findings: [], chunks }
    return response.end(JSON.stringify({ verdict: 'pass', reason_code: 'passed', detail }))
  })
  await run(['calibrate', file, '--collection', 'docs', '--out', out, '--hidden-gold'], {
    env: { RAG_GATE_URL: gate().url },
  })
  expect(bodies.filter((body) => body.includes('"without":["a","b"]'))).toHaveLength(1)
})

it('rejects a question that is labelled both ways, with the collection and without it', async () => {
  const contrary = [...LABELS, { question: 'Which launch was first?', answerable: true }]
  const named = { question: 'Which  launch was first?', answerable: false, collection: 'docs' }
  const file = folder.put('labels.jsonl', [...contrary, named].map((label) => JSON.stringify(label)).join('\n'))
  const { asked } = judging({})
  expect(
    await run(['calibrate', file, '--collection', 'docs', '--out', `${folder.path}/unused.json`], {
      env: { RAG_GATE_URL: gate().url },
    }),
  ).toMatchObject({
    code: 2,
    notes: 'rag-gate: The same question is labelled as answerable and as not: Which launch was first?\n',
  })
  expect(asked()).toBe(0)
})

it('says in one line why labels cannot be used', async () => {
  const calibrate = (labels: readonly object[], ...options: string[]) => {
    const file = folder.put('labels.jsonl', labels.map((label) => JSON.stringify(label)).join('\n'))
    const out = `${folder.path}/unused.json`
    return run(['calibrate', file, '--collection', 'docs', '--out', out, ...options], {
      env: { RAG_GATE_URL: gate().url },
    })
  }
  judging({}, false)
  expect(await calibrate(LABELS)).toMatchObject({
    code: 1,
    notes: 'rag-gate: 120 of 120 labels lack a signal that the policy needs: measure them again\n',
  })
  judging({})
  expect(
    await calibrate(
      LABELS.slice(60).filter(({ answerable }) => !answerable),
      '--risk',
      '.1',
      '--fit',
      'weights',
    ),
  ).toMatchObject({
    code: 1,
    notes: 'rag-gate: Weights need labels of both kinds, in several groups\n',
  })
})
