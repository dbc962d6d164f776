import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { signalsOf } from '../fixtures/evidence.ts'
import { answering, upstreamOfTests } from '../fixtures/scripted-upstream.ts'
import { aFolder } from './folder.ts'
import { run } from './run.ts'

const gate = upstreamOfTests()
const folder = aFolder()

const REPLY = JSON.stringify({
  verdict: 'pass',
  reason_code: 'passed',
  detail: {
    confidence: 0.9,
    signals: signalsOf({}),
    gates: [{ gate: 'confidence-range', refuseBelow: 0.55, adviseBelow: 0.8 }],
    findings: [],
    chunks: [],
  },
})
const JUDGED = answering(REPLY)

it('reports how many results are from an earlier run', async () => {
  gate().answerWith(JUDGED)
  const results = `${folder.path}/results.jsonl`
  const evaluate = (questions: readonly string[], ...more: readonly string[]) => {
    const lines = questions.map((question) => JSON.stringify({ question, answerable: true }))
    const labels = folder.put('labels.jsonl', lines.join('\n'))
    return run(['eval', labels, '--results', results, ...more], { env: { RAG_GATE_URL: gate().url } })
  }
  expect((await evaluate(['Who?', 'Which?'])).notes).toBe('')
  const kept = (count: string): string => `${count} questions are not asked again: ${results} has their results.\n`
  expect((await evaluate(['Who?', 'Which?', 'Where?'])).notes).toBe(kept('2 of 3'))
  expect((await evaluate(['Who?', 'Which?', 'Where?'])).notes).toBe(kept('3 of 3'))
  expect((await evaluate(['Who?'], '--fresh')).notes).toBe('')
})

it('replaces the results of an earlier run with --fresh, but not before the gate has answered', async () => {
  const labels = folder.put(
    'labels.jsonl',
    ['Who?', 'Which?', 'Where?'].map((question) => JSON.stringify({ question, answerable: true })).join('\n'),
  )
  const results = folder.put('results.jsonl', '{"key":"that of an earlier run"}\n')
  const fresh = () => run(['eval', labels, '--results', results, '--fresh'], { env: { RAG_GATE_URL: gate().url } })
  gate().answerWith(answering('{"error":{"code":"schema_outdated","message":"Migrate"}}', 500))
  expect(await fresh()).toMatchObject({ code: 1 })
  expect(readFileSync(results, 'utf8')).toBe('{"key":"that of an earlier run"}\n')
  gate().answerWith(JUDGED)
  for (let time = 0; time < 2; time++) {
    expect(await fresh()).toMatchObject({ code: 0, notes: '' })
    const lines = readFileSync(results, 'utf8').trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { question: string }).question).sort()).toEqual([
      'Where?',
      'Which?',
      'Who?',
    ])
  }
})

it('reports how many questions are repeated, since each counts on its own', async () => {
  gate().answerWith(JUDGED)
  const html = `${folder.path}/report.html`
  const evaluate = async (questions: readonly string[], ...more: readonly string[]) => {
    const lines = questions.map((question) => JSON.stringify({ question, answerable: true }))
    const labels = folder.put('labels.jsonl', lines.join('\n'))
    return (await run(['eval', labels, ...more], { env: { RAG_GATE_URL: gate().url } })).out
  }
  const thrice = ['Who?', ' Who?', 'Which?', 'Who?']
  expect(await evaluate(thrice, '--html', html)).toContain('4 labelled questions (2 of them repeated), policy')
  expect(readFileSync(html, 'utf8')).toContain('questions: 4 (2 of them repeated)')
  expect(JSON.parse(await evaluate(thrice, '--json'))).toMatchObject({ questions: 4, repeated: 2 })
  expect(await evaluate(['Who?', 'Which?'])).toContain('2 labelled questions, policy')
})

it('reports whether confidences were scaled, and a collection whose scale was learned meanwhile', async () => {
  const judge = (policy: string, calibration: string) => {
    const header = `pass;policy="${policy}";id="1";calibration=${calibration};mode=observe`
    gate().answerWith(answering(REPLY, 200, { 'rag-gate': header }))
  }
  const results = `${folder.path}/scaled.jsonl`
  const evaluate = (...labels: readonly object[]) => {
    const file = folder.put('labels.jsonl', labels.map((label) => JSON.stringify(label)).join('\n'))
    return run(['eval', file, '--results', results], { env: { RAG_GATE_URL: gate().url } })
  }
  const [one, two] = [
    { question: 'Who?', answerable: true },
    { question: 'Which?', answerable: true },
  ]
  judge('a@1', 'uncalibrated')
  expect((await evaluate(one)).out).toContain('1 labelled questions, policy a@1, uncalibrated\n')
  judge('a@1', 'scaled')
  const mixed = await evaluate(one, two)
  expect(mixed.out).toContain('policy a@1, uncalibrated; a@1, scaled\n')
  expect(mixed.notes).toContain(
    'A collection was not judged alike throughout (a@1, uncalibrated; a@1, scaled): --fresh asks everything anew.\n',
  )
  // Another collection may have a policy of its own.
  judge('b@1', 'calibrated')
  expect((await evaluate(one, { ...two, collection: 'other' })).notes).not.toContain('alike')
})

it('marks no threshold where collections have different ones', async () => {
  const html = `${folder.path}/report.html`
  const evaluate = async (thresholds: Readonly<Record<string, number>>) => {
    gate().answerWith((response, _request, body) => {
      const { collection } = JSON.parse(body) as { collection: string }
      response.end(REPLY.replace('"refuseBelow":0.55', `"refuseBelow":${thresholds[collection]}`))
    })
    const labels = Object.keys(thresholds).map((collection) => ({ question: 'Who?', answerable: true, collection }))
    const file = folder.put('labels.jsonl', labels.map((label) => JSON.stringify(label)).join('\n'))
    const { out } = await run(['eval', file, '--html', html, '--json'], { env: { RAG_GATE_URL: gate().url } })
    return [JSON.parse(out), readFileSync(html, 'utf8')] as const
  }
  const [alike, page] = await evaluate({ a: 0.7, b: 0.7 })
  expect(alike).toMatchObject({ sensitivity: { points: expect.any(Array) as unknown } })
  expect(page).toContain('refuse below')
  const [different, unmarked] = await evaluate({ a: 0.7, b: 0.3 })
  expect(different).not.toHaveProperty('sensitivity')
  expect(unmarked).not.toContain('refuse below')
  expect(unmarked).toContain('caution below')
})

it('names the question that the gate rejects', async () => {
  const error = { code: 'question_too_long', message: 'The question is too long', param: 'question' }
  gate().answerWith((response, _request, body) => {
    if (body.includes('Why')) return response.writeHead(400).end(JSON.stringify({ error }))
    return response.end(REPLY)
  })
  const lines = ['Who?', `Why ${'so '.repeat(99)}?`].map((question) => JSON.stringify({ question, answerable: true }))
  const labels = folder.put('labels.jsonl', lines.join('\n'))
  expect(await run(['eval', labels], { env: { RAG_GATE_URL: gate().url } })).toEqual({
    code: 1,
    out: '',
    notes: `rag-gate: question_too_long: The question is too long (question): Why ${'so '.repeat(32)}\n`,
  })
})

it('reports n/a for figures that need unanswerable questions', async () => {
  gate().answerWith(JUDGED)
  const labels = folder.put('labels.jsonl', '{"question":"Who?","answerable":true}')
  const { out } = await run(['eval', labels], { env: { RAG_GATE_URL: gate().url } })
  expect(out).toMatch(/false refusal +0 % \(0 of 1/)
  expect(out).toMatch(/best coverage at 5 % +n\/a\n/)
  // No threshold near the one in use changes anything.
  expect(out).not.toContain('threshold matters most')
})

it('reports how many wrongly judged questions the page leaves out', async () => {
  gate().answerWith(JUDGED)
  const html = `${folder.path}/report.html`
  const pageOf = async (count: number): Promise<string> => {
    const lines = Array.from({ length: count }, (_, at) =>
      JSON.stringify({ question: `Who ${at}?`, answerable: false }),
    )
    const labels = folder.put('labels.jsonl', lines.join('\n'))
    await run(['eval', labels, '--html', html], { env: { RAG_GATE_URL: gate().url } })
    return readFileSync(html, 'utf8')
  }
  const page = await pageOf(26)
  expect(page).toContain('The worst 25 of 26.')
  expect(page.match(/<td>Who \d+\?<\/td>/g)).toHaveLength(25)
  expect(await pageOf(25)).not.toContain('The worst')
})

it.each([
  ['eval', '--results', '--fresh'],
  ['eval', '--html'],
  ['calibrate', '--results'],
  ['calibrate', '--out'],
])('does not write over the labels that it reads: %s %s', async (command, option, ...more) => {
  gate().answerWith(JUDGED)
  const text = JSON.stringify({ question: 'Who?', answerable: true })
  const labels = folder.put('labels.jsonl', text)
  for (const same of [labels, `${folder.path}/./labels.jsonl`]) {
    expect(await run([command, labels, option, same, ...more], { env: { RAG_GATE_URL: gate().url } })).toEqual({
      code: 2,
      out: '',
      notes: `rag-gate: ${same} holds the labels: name another file for ${option}\n`,
    })
  }
  expect(readFileSync(labels, 'utf8')).toBe(text)
})
