/** A newcomer's journey: ingest, draft questions, label, evaluate, calibrate, push, ask, replay, go back. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../packages/cli/src/main.ts'
import { terminalOn } from '../../packages/cli/src/terminal.ts'
import { type BundledGate, startBundledGate } from './bundled-gate.ts'

const home = mkdtempSync(join(tmpdir(), 'hono-rag-gate-calibration-'))
const folder = join(home, 'manual')
const file = (name: string): string => join(home, name)
let gate: BundledGate

/** Each topic with what its page says of it. */
const TOPICS: readonly (readonly [subject: string, question: string, fact: string])[] = [
  [
    'Rockets',
    'What is the launch code of the rocket?',
    'The launch code of the rocket is 7421, and the captain keeps it.',
  ],
  ['Oxygen', 'How long does the oxygen supply last?', 'The oxygen supply lasts for nine days with a crew of four.'],
  [
    'Gardens',
    'Which vegetables grow in the garden dome?',
    'The garden dome grows vegetables: kale, radish and lettuce.',
  ],
  ['Lighting', 'When are the corridor lamps dimmed?', 'The corridor lamps are dimmed at ten in the evening.'],
  ['Water', 'Where is the drinking water filtered?', 'The drinking water is filtered in the basement of module two.'],
  ['Radio', 'Which frequency does the radio beacon use?', 'The radio beacon uses the frequency 437 megahertz.'],
  ['Suits', 'How often are pressure suits inspected?', 'The pressure suits are inspected every second Monday.'],
  ['Kitchen', 'Who cooks dinner in the kitchen on Sundays?', 'On Sundays the botanist cooks dinner in the kitchen.'],
  [
    'Batteries',
    'What voltage do the rover batteries need?',
    'The rover batteries need a voltage of 48 volts for charging.',
  ],
  ['Telescope', 'Who may book the telescope at night?', 'Only students of astronomy may book the telescope at night.'],
  ['Laundry', 'How much laundry fits into the washing drum?', 'The washing drum holds six kilograms of laundry.'],
  [
    'Medicine',
    'Where are painkillers stored in the infirmary?',
    'In the infirmary painkillers are stored in the red cabinet.',
  ],
]

beforeAll(async () => {
  gate = await startBundledGate({
    stateDirectory: join(home, 'state'),
    vars: { AUDIENCE: 'public', STORE_QUESTIONS_DAYS: '30' },
  })
  mkdirSync(folder)
  for (const [subject, question, fact] of TOPICS) {
    writeFileSync(join(folder, `${subject.toLowerCase()}.md`), `# ${subject}\n\n## ${question}\n\n${fact}\n`)
  }
})
afterAll(async () => {
  await gate.stop()
  rmSync(home, { recursive: true })
})

async function ragGate(...given: readonly string[]) {
  const { FORCE_COLOR: _, ...others } = process.env
  const env = { ...others, RAG_GATE_URL: gate.url, RAG_GATE_KEY: gate.adminToken }
  let out = ''
  let notes = ''
  // In this process: `cli.test.ts` starts the program itself.
  const streams = {
    stdout: { write: (text: string) => ((out += text), true) },
    stderr: { write: (text: string) => ((notes += text), true) },
  }
  const code = await runCommand(given, terminalOn({ ...streams, env }))
  return { code, out, notes }
}

const linesOf = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

const refusedOf = async (question: string): Promise<boolean> =>
  (JSON.parse((await ragGate('query', question, '--collection', 'base', '--json')).out) as { refused: boolean }).refused

describe('from documents to a calibrated policy', () => {
  test('documents are ingested, and questions are drafted from their headings', async () => {
    expect((await ragGate('ingest', folder, '--collection', 'base')).out).toContain('12 added')
    const drafted = await ragGate('questions', folder, '--out', file('labels.jsonl'), '--count', '12')
    expect(drafted).toMatchObject({ code: 0, out: expect.stringContaining('12 questions from 12 documents') })
    const labels = linesOf(file('labels.jsonl')) as { question: string; relevant_ids: string[] }[]
    expect(labels.map(({ question }) => question).sort()).toEqual(TOPICS.map(([, question]) => question).sort())
    expect(labels.find(({ question }) => question.includes('oxygen'))?.relevant_ids).toEqual(['oxygen.md'])
  })

  test('eval asks the questions, continues where it was stopped, and writes a page', async () => {
    const unanswerable = ['How do I renew a passport?', 'Who won the football cup in 1998?', 'What is a haiku?']
    appendFileSync(
      file('labels.jsonl'),
      unanswerable.map((question) => `${JSON.stringify({ question, answerable: false, kind: 'foreign' })}\n`).join(''),
    )
    const evaluate = (...more: string[]) =>
      ragGate('eval', file('labels.jsonl'), '--collection', 'base', '--results', file('results.jsonl'), ...more)
    const first = JSON.parse((await evaluate('--json', '--html', file('report.html'))).out) as {
      questions: number
      verdicts: Record<
        'falseRefusals' | 'falseAcceptances',
        { hits: number; labels: number; low: number; high: number }
      >
      recall: { hits: number; labels: number }
      auroc: { value: number }
    }
    expect(first.questions).toBe(15)
    expect(first.verdicts.falseAcceptances).toMatchObject({ hits: 0, labels: 3 })
    expect(first.verdicts.falseRefusals.labels).toBe(12)
    expect(first.recall).toMatchObject({ hits: 12, labels: 12 })
    expect(first.auroc.value).toBe(1)
    expect(linesOf(file('results.jsonl'))).toHaveLength(15)
    const page = readFileSync(file('report.html'), 'utf8')
    expect(page.match(/<svg /g)?.length).toBe(4)
    expect(page).not.toMatch(/<script|src=|href=/)
    // Nothing is asked a second time.
    const again = await evaluate()
    expect(again.out).toContain('15 labelled questions, policy balanced@')
    expect(again.out).toContain('false acceptance               0 % (0 of 3, 0 % to 70.8 %)')
    expect(linesOf(file('results.jsonl'))).toHaveLength(15)
  })

  test('calibrate reports too few labels, and makes a policy from enough of them', async () => {
    const calibrate = (...more: string[]) =>
      ragGate('calibrate', file('labels.jsonl'), '--collection', 'base', '--out', file('policy.json'), ...more)
    const few = await calibrate()
    expect(few).toMatchObject({ code: 1, notes: expect.stringContaining('Label 42 more questions to be refused') })
    expect(few.out).toContain('Too few labels: 3 questions to be refused, 45 needed')
    const average = await calibrate('--hidden-gold', '--risk', '.2', '--certainty', 'average')
    expect(average.out).toContain('at most 20 % are answered, on average')
    expect(average.out).toMatch(/at most, certainty \.9 +28\.7 %/)
    const made = await calibrate('--hidden-gold', '--risk', '.2')
    expect(made.notes).toBe('')
    expect(made.code).toBe(0)
    expect(made.out).toContain('at most 20 % are answered, with certainty 0.9')
    expect(made.out).toContain('Not near misses')
    const policy = JSON.parse(readFileSync(file('policy.json'), 'utf8')) as {
      pin: { collection: string }
      evidence: { kinds: object }
    }
    expect(policy.pin.collection).toBe('base')
    expect(policy.evidence.kinds).toEqual({ 'hidden-gold': 12 })
  })

  test('judgements are not counted as decisions', async () => {
    const statistics = await fetch(`${gate.url}/v1/stats`, { headers: { authorization: `Bearer ${gate.adminToken}` } })
    expect(await statistics.json()).toMatchObject({ decisions: 15 })
  })

  test('policy pushes, chooses and rolls back a policy', async () => {
    const pushed = await ragGate('policy', 'push', file('policy.json'), '--use', '--why', 'hidden gold')
    expect(pushed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^base@[0-9a-f]{16}: version 1 of base, in use for base\n$/),
    })
    expect(await refusedOf('What is the launch code of the rocket?')).toBe(false)
    expect(await refusedOf('Who won the football cup in 1998?')).toBe(true)
    const debug = await ragGate('query', 'How long does the oxygen supply last?', '--collection', 'base', '--json')
    expect(JSON.parse(debug.out)).toMatchObject({
      detail: { gates: expect.arrayContaining([expect.objectContaining({ gate: 'confidence-range' })]) },
    })
    const listed = await ragGate('policy', 'list')
    expect(listed.out).toMatch(/base@[0-9a-f]{16} {2}version 1, for base at version 1, in use for base/)
    writeFileSync(join(folder, 'new.md'), '# News\n\nThe airlock is painted green.\n')
    await ragGate('ingest', folder, '--collection', 'base')
    expect((await ragGate('policy', 'list')).out).toContain('base was changed since (version 1, now 2)')
    const stale = await ragGate('policy', 'push', file('policy.json'))
    expect(stale).toMatchObject({ code: 1, notes: expect.stringContaining('policy_pin_mismatch') })
    const back = await ragGate('policy', 'rollback', '--collection', 'base')
    expect(back.out).toBe('base: back to default\n')
    const further = await ragGate('policy', 'rollback', '--collection', 'base')
    expect(further).toMatchObject({ code: 1, notes: expect.stringContaining('nothing_to_roll_back') })
  })

  test('replay reports what the policy would have changed, and judges like the gate', async () => {
    const same = await ragGate('replay', file('results.jsonl'), '--policy', 'balanced', '--json')
    expect(JSON.parse(same.out)).toMatchObject({ decisions: 15, not_replayable: 0, stricter: [], looser: [] })
    const other = await ragGate('replay', file('results.jsonl'), '--policy', file('policy.json'))
    expect(other).toMatchObject({ code: 0, out: expect.stringContaining('15 decisions under base@') })
  })

  test('user feedback becomes labels, and labels become a policy', async () => {
    const foreign = ['Who won the cup?', 'How is bread baked?', 'What does a ticket to Rome cost?', 'Who painted this?']
    const more = ['Where is the opera?', 'Which tax is due?', 'How old is the queen?', 'What is a sonnet?']
    const rest = ['When does school begin?', 'Why do cats purr?', 'Who invented tea?', 'How far is the moon?']
    const asked = [
      ...TOPICS.map(([, question]) => ({ question, answerable: true })),
      ...[...foreign, ...more, ...rest].map((question) => ({ question, answerable: false })),
    ]
    for (const { question, answerable } of asked) {
      const response = await fetch(`${gate.url}/ask`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ question, collection: 'base' }),
      })
      const { decision_id: id, refused } = (await response.json()) as { decision_id: string; refused: boolean }
      const labelled = await fetch(`${gate.url}/v1/decisions/${id}/label`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${gate.adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ rating: refused === answerable ? 'wrong' : 'right' }),
      })
      expect(labelled.status).toBe(200)
    }
    const written = await ragGate('labels', '--collection', 'base', '--out', file('said.jsonl'))
    expect(written).toMatchObject({ code: 0, out: expect.stringContaining('24 labels, 12 answerable, 12 not') })
    const labels = linesOf(file('said.jsonl')) as { question: string; answerable: boolean }[]
    const byQuestion = (a: { question: string }, b: { question: string }): number => (a.question < b.question ? -1 : 1)
    expect(labels.map(({ question, answerable }) => ({ question, answerable })).sort(byQuestion)).toEqual(
      [...asked].sort(byQuestion),
    )
    const calibrated = await ragGate(
      'calibrate',
      file('said.jsonl'),
      '--collection',
      'base',
      '--risk',
      '.2',
      '--out',
      file('said.json'),
    )
    expect(calibrated).toMatchObject({
      code: 0,
      out: expect.stringContaining('like the 12 labelled ones to be refused'),
    })
    const { evidence } = JSON.parse(readFileSync(file('said.json'), 'utf8')) as {
      evidence: { confidence_histogram: number[] }
    }
    expect(evidence.confidence_histogram).toHaveLength(20)
    expect(evidence.confidence_histogram.reduce((sum, count) => sum + count)).toBe(24)
  })
})
