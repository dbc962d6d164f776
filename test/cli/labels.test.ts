import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { requireWritable } from '../../packages/cli/src/command-error.ts'
import { draftQuestions } from '../../packages/cli/src/draft-questions.ts'
import { parseCsv, readLabels } from '../../packages/cli/src/labels.ts'
import { escaped, plot } from '../../packages/cli/src/plots.ts'
import { signalsOf } from '../fixtures/evidence.ts'
import { run } from './run.ts'

const home = mkdtempSync(join(tmpdir(), 'rag-gate-labels-'))
afterAll(() => rmSync(home, { recursive: true }))

function written(name: string, text: string): string {
  const path = join(home, name)
  writeFileSync(path, text)
  return path
}

describe('readLabels', () => {
  it('reads CSV with quotes, line ends within cells and several ids', async () => {
    const text =
      '\uFEFFquestion,answerable,relevant_ids,kind\r\n"What, ""exactly""?\nNow?",yes,a; b c.md ;,\r\nWho?,0,,near-miss\r\n\r\n'
    expect(await readLabels(written('a.csv', text))).toEqual([
      { question: 'What, "exactly"?\nNow?', answerable: true, relevantIds: ['a', 'b c.md'], kind: 'answerable' },
      { question: 'Who?', answerable: false, relevantIds: [], kind: 'near-miss' },
    ])
  })

  it.each([
    ['semicolons', 'question;answerable;relevant_ids\n"Who; and why, then?";yes;"a;b"\n'],
    ['semicolons, said first', 'sep=;\r\nquestion;answerable;relevant_ids\r\n"Who; and why, then?";yes;"a;b"\r\n'],
    ['tabs', 'question\tanswerable\trelevant_ids\nWho; and why, then?\tyes\ta;b'],
    ['commas', 'Question, answerable ,relevant_ids\n"Who; and why, then?",yes,a;b'],
  ])('reads CSV separated by %s', async (_, text) => {
    expect(await readLabels(written('s.csv', text))).toEqual([
      { question: 'Who; and why, then?', answerable: true, relevantIds: ['a', 'b'], kind: 'answerable' },
    ])
  })

  it.each([
    ['question,answerable\nWho, and why?,yes', 'question 1 has 3 cells for 2 columns'],
    ['question;answerable\nWho; and why?;yes', 'question 1 has 3 cells for 2 columns'],
    ['question,answerable\n"Who?,yes\nWhy?,no', 'a quoted cell that does not end'],
    ['question|answerable\nWho?|yes', 'has no column question; the first line must name the columns, separated by'],
    ['question;answer\nWho?;yes', 'has no column answerable'],
  ])('reports the fault in the CSV %j', async (text, why) => {
    await expect(readLabels(written('w.csv', text))).rejects.toThrow(why)
  })

  it('reads a cell with a spreadsheet formula as text', async () => {
    const [label] = await readLabels(written('f.csv', 'question,answerable\n=1+1?,yes'))
    expect(label?.question).toBe('=1+1?')
  })

  it.each([
    ['a.csv', 'question,answerable\nWho?,yes\nWhy?,no\n Who? ,no', 'question 3', 'question 1'],
    ['a.jsonl', '{"question":"Who?","answerable":true}\n\n{"question":"Who?","answerable":false}', ':3', ':1'],
    ['a.csv', 'question,answerable\nWho is it?,yes\nWho  is it\uff1f,no', 'question 2', 'question 1'],
  ])('rejects contradicting labels of one question in %s', async (name, text, later, earlier) => {
    const thrown = await readLabels(written(name, text)).catch((fault: unknown) => String(fault))
    expect(thrown).toMatch(new RegExp(`${later}: the same question is labelled otherwise in .*${earlier}$`))
  })

  it("reads ids in decomposed letters as the gate's", async () => {
    const line = { question: 'Who?', answerable: true, relevant_ids: ['u\u0308ber.md'] }
    const [label] = await readLabels(written('nfd.jsonl', JSON.stringify(line)))
    expect(label!.relevantIds).toEqual(['\u00fcber.md'])
  })

  it('keeps a question that occurs twice, or is of two collections', async () => {
    const lines = [
      { question: 'Who?', answerable: true },
      { question: 'Who?', answerable: true },
      { question: 'Who?', answerable: false, collection: 'other' },
    ]
    const text = lines.map((line) => JSON.stringify(line)).join('\n')
    expect(await readLabels(written('twice.jsonl', text))).toHaveLength(3)
  })

  it('reads JSONL, and names the line at fault', async () => {
    const good = JSON.stringify({ question: 'Who?', answerable: false, collection: 'x' })
    expect(await readLabels(written('a.jsonl', `${good}\n\n`))).toEqual([
      { question: 'Who?', answerable: false, relevantIds: [], kind: 'unanswerable', collection: 'x' },
    ])
    for (const [line, why] of [
      ['{', 'is no JSON'],
      ['[]', 'is no object'],
      ['{"answerable":true}', 'has no question'],
      ['{"question":"Who?"}', 'answerable must be true or false'],
      ['{"question":"Who?","answerable":true,"relevant_ids":"a"}', 'relevant_ids must be a list'],
      ['{"question":"Who?","answerable":true,"kind":1}', 'kind must be a string'],
    ] as const) {
      await expect(readLabels(written('b.jsonl', `${good}\n${line}`))).rejects.toThrow(`b.jsonl:2`)
      await expect(readLabels(written('b.jsonl', `${good}\n${line}`))).rejects.toThrow(why)
    }
    await expect(readLabels(written('c.csv', 'question\nWho?'))).rejects.toThrow('has no column answerable')
    await expect(readLabels(written('d.jsonl', '\n'))).rejects.toThrow('holds no labelled question')
    await expect(readLabels(join(home, 'none.jsonl'))).rejects.toThrow('cannot be read')
  })
})

describe('parseCsv', () => {
  it('keeps empty cells, and a last line without a line end', () => {
    expect(parseCsv('a,,b\n,"",c')).toEqual([
      ['a', '', 'b'],
      ['', '', 'c'],
    ])
    expect(parseCsv('')).toEqual([])
    expect(parseCsv('a,"b')).toBeUndefined()
  })
})

/** Each with its kind before it. */
const drafted = (text: string, title: string): string[] =>
  draftQuestions({ text, title }).map(({ kind, question }) => `${kind}: ${question}`)

describe('draftQuestions', () => {
  it('uses headings that are questions, and makes questions of others', () => {
    const text = [
      '# Client guide',
      '## How do I reset my password?',
      '## 2.1 Install the `client`',
      '## Overview',
      '## Rate limits {#limits}',
      '## Limits',
      '**Is there a free plan?**',
      'Q: Can I pay by card',
      '```',
      '# no heading of the page',
      '```',
      '## how do i reset my password?',
    ].join('\n')
    expect(drafted(text, 'Client guide')).toEqual([
      'title: What about client guide?',
      'faq: How do I reset my password?',
      'heading: How do I install the client?',
      'heading: What about rate limits?',
      'heading: What about limits in Client guide?',
      'faq: Is there a free plan?',
      'faq: Can I pay by card?',
    ])
    expect(draftQuestions({ text: 'Only text.' })).toEqual([])
    const untitled = draftQuestions({ text: '```sh\n# no title\n```\n# The [client](x) #\n\n## Timeout' })
    expect(untitled.map(({ question }) => question)).toEqual([
      'What about the client?',
      'What about timeout in The client?',
    ])
    // No line takes longer than it is worth.
    const hostile = [`Q: a${' '.repeat(80_000)}b`, '*'.repeat(80_000), `# a${'#'.repeat(80_000)}b`].join('\n')
    expect(draftQuestions({ text: hostile })).toEqual([])
  })

  it('asks about the names in a reference, but not about headings of every page', () => {
    const headings = [
      'Class: Pool',
      '`new Pool(url[, options])`',
      'Parameter: `PoolOptions`',
      '`pool.close([callback]): Promise`',
      '`Pool.stats`',
      'Instance Methods',
      'Parameters',
      'Example - Basic request',
      'Client Certificate Authentication',
      'Using a custom Dispatcher',
      'SocketError',
    ]
    expect(drafted(headings.map((heading) => `## ${heading}`).join('\n'), 'Class: Pool')).toEqual([
      'heading: How do I create a new Pool?',
      'heading: What about PoolOptions in Pool?',
      'heading: What does pool.close do?',
      'heading: What about Pool.stats?',
      'heading: What about Client Certificate Authentication?',
      'heading: What is to know about using a custom Dispatcher?',
      'heading: What about SocketError in Pool?',
    ])
  })

  it('turns a heading that states something into a question, and omits general ones', () => {
    const headings = [
      'How long answers live',
      'How to deploy the Worker',
      'Which regions are there',
      'Who maintains the client',
      'What a page is worth',
      'How many keys may there be',
      'Where the codes are',
      'What it does',
      'Using this page',
    ]
    const text = headings.map((heading) => `## ${heading}`).join('\n')
    expect(drafted(text, 'How it works')).toEqual([
      'heading: Can you explain how long answers live?',
      'heading: How do I deploy the Worker?',
      'faq: Which regions are there?',
      'faq: Who maintains the client?',
      'heading: Can you explain what a page is worth?',
      'faq: How many keys may there be?',
      'heading: Can you explain where the codes are?',
    ])
  })
})

describe('plot', () => {
  it('escapes the text of questions in the page, and draws nothing outside its axes', () => {
    const svg = plot({
      title: '<script>',
      xTitle: 'x',
      yTitle: 'y',
      series: [
        {
          name: '"a"',
          colour: 1,
          points: [
            { x: 5, y: NaN },
            { x: -1, y: 2 },
          ],
        },
      ],
    })
    expect(svg).not.toContain('<script>')
    expect(svg).not.toContain('NaN')
    const half = plot({ title: 't', xTitle: 'x', yTitle: 'y', yRange: [0, 0.5], series: [] })
    const ticks = [...half.matchAll(/text-anchor="end">([^<]+)</g)].map((found) => found[1])
    expect(ticks).toEqual(['0 %', '12.5 %', '25 %', '37.5 %', '50 %'])
    expect(svg).toContain('points="538.0,284.0 78.0,34.0"')
    expect(escaped(`<&>"'`)).toBe('&lt;&amp;&gt;&quot;&#39;')
  })
})

describe('a plot with bars and marks', () => {
  it('shows the bars of both kinds side by side, and every name within the picture', () => {
    const bars = (colour: number) => ({
      name: `${colour}`,
      colour,
      shape: 'bars' as const,
      points: [0.25, 0.75].map((x) => ({ x, y: 1 })),
    })
    const marks = [0.2, 0.97].map((x) => ({ x, name: 'refuse below' }))
    const svg = plot({ title: 't', xTitle: 'x', yTitle: 'y', series: [bars(1), bars(2)], marks })
    const drawn = [...svg.matchAll(/<rect class="c[12]" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map((found) => [
      Number(found[1]),
      Number(found[1]) + Number(found[2]),
    ])
    expect(drawn).toHaveLength(4)
    const sorted = drawn.sort(([one], [other]) => one! - other!)
    for (const [at, [from]] of sorted.entries())
      if (at > 0) expect(from).toBeGreaterThanOrEqual(sorted[at - 1]![1]! - 0.2)
    const [left, right] = [...svg.matchAll(/<text class="mark-name" x="([\d.]+)" y="(\d+)"( text-anchor="end")?/g)]
    expect([left![3], right![3]]).toEqual([undefined, ' text-anchor="end"'])
    expect(left![2]).not.toBe(right![2])
  })
})

describe('rag-gate questions', () => {
  it('prints questions as lines or JSON, and skips documents without text', async () => {
    const lines = [
      { id: 'a' },
      { id: 'b', text: 5 },
      { id: 'c', text: '## Rate limits', title: 5 },
      { id: 'd', text: '## How long are backups kept?\n' },
    ]
    const path = written('documents.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'))
    const label = { question: 'How long are backups kept?', answerable: true, relevant_ids: ['d'], kind: 'faq' }
    const printed = await run(['questions', path])
    expect({ ...printed, out: JSON.parse(printed.out) as unknown }).toMatchObject({ code: 0, out: label })
    expect(JSON.parse((await run(['questions', path, '--json'])).out)).toEqual([label])
    const out = join(home, 'drafted.jsonl')
    expect(JSON.parse((await run(['questions', path, '--json', '--out', out])).out)).toEqual({
      out,
      questions: 1,
      documents: 1,
    })
  })

  it('draws every document for about as many seeds', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const lines = ids.map((id) => JSON.stringify({ id, text: `## How long are backups of ${id} kept?` }))
    const path = written('eight.jsonl', lines.join('\n'))
    const drawn = new Map<string, number>()
    for (let seed = 1; seed <= 80; seed++) {
      const { out } = await run(['questions', path, '--count', '2', '--seed', `${seed}000000`, '--json'])
      for (const {
        relevant_ids: [id = ''],
      } of JSON.parse(out) as { relevant_ids: string[] }[]) {
        drawn.set(id, (drawn.get(id) ?? 0) + 1)
      }
    }
    for (const id of ids) expect(drawn.get(id)).toBeGreaterThan(8)
    // Twenty are expected; the chance of more than 35 of 80 is one in ten thousand.
    for (const id of ids) expect(drawn.get(id)).toBeLessThan(36)
  })
})

describe('a file that cannot be written', () => {
  const out = join(home, 'missing', 'result')
  const labels = written('two.jsonl', '{"question":"Who?","answerable":true}')

  it.each([
    [['eval', labels, '--html', out]],
    [['calibrate', labels, '--out', out]],
    [['questions', home, '--model', 'm', '--out', out]],
    [['lexicon', '--index', 'http://127.0.0.1:1', '--token', 't', '--out', out]],
    [['scale', '--index', 'http://127.0.0.1:1', '--token', 't', '--out', out]],
  ])('is reported before anything is asked by %j', async (args) => {
    const { code, notes } = await run(args, { env: { LLM_BASE_URL: 'http://127.0.0.1:1' } })
    expect([code, notes]).toEqual([1, expect.stringContaining(`${out} cannot be written: ENOENT`)])
  })
})

// To root, every folder is writable.
it.skipIf(process.getuid?.() === 0)('a device can be written, in a folder where no file can be made', async () => {
  await expect(requireWritable('/dev/null')).resolves.toBeUndefined()
})

describe('rag-gate', () => {
  const labels = written('one.jsonl', JSON.stringify({ question: 'Who?', answerable: true }))

  it.each([
    [['eval'], 'a file of labelled questions'],
    [['eval', labels, '--risk', '5'], '--risk must be a number between 0 and 1'],
    [['eval', labels, '--parallel', '99'], '--parallel must be a whole number from 1 to 16'],
    [['calibrate', labels, '--certainty', '.4'], '--certainty must be .5 or more'],
    [['calibrate', labels, '--caution-risk', '.2'], '--caution-risk must not be above --risk'],
    [['calibrate', labels, '--fit', 'all'], '--fit must be weights or thresholds'],
    [['calibrate', labels, '--name', 'My policy'], '--name must have 1 to 40 of a-z, 0-9 and -'],
    [
      ['eval', labels, '--results', 'r', '--html', './r'],
      'r holds what --html writes: name another file for --results',
    ],
    [['calibrate', labels, '--results', 'policy.json'], 'policy.json holds what --out writes'],
    [['policy', 'drop'], 'policy must be followed by push, list, use or rollback'],
    [['policy', 'push', '--near-misses', '.9'], '--near-misses must be a number from 0.02 to 0.3'],
    [['policy', 'push', labels, '--near-misses', '.1'], 'in the place of a policy file'],
    [['replay', labels], 'replay needs --policy'],
    [['replay', labels, '--policy', 'balanced'], 'has no verdict, signals and findings'],
    [['questions', home, '--count', '0'], '--count must be a whole number from 1 up'],
    [['replay', labels, '--policy', 'balanced', '--examples', '1.5'], '--examples must be a whole number from 0 up'],
  ])('%j is a wrong call: %s', async (args, why) => {
    const { code, notes } = await run(args)
    expect([code, notes]).toEqual([2, expect.stringContaining(why)])
  })

  it('replays rows as D1 exports them, and reports those that it cannot judge', async () => {
    const measured = signalsOf({ sentenceMatch: 0.9 })
    const signals = JSON.stringify(measured)
    const oneWord = { ...measured, loneTerm: { holding: 9, chunks: 9, isTitled: false } }
    const row = { decision_id: 'd', verdict: 'pass', signals, findings: '[]', cut: null, principal_id: 'p' }
    const rows = [
      row,
      { ...row, verdict: 'refuse', signals: JSON.stringify(oneWord) },
      { ...row, cut: '["signals"]' },
      { ...row, principal_id: '' },
    ]
    const file = written('rows.jsonl', rows.map((each) => JSON.stringify(each)).join('\n'))
    const { code, out } = await run(['replay', file, '--policy', 'balanced', '--json'])
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      {
        decisions: 4,
        changes: { refuse: { pass: 0, advise: 0, refuse: 1 } },
        not_replayable: 2,
        why: ['The record was too large for the queue, and cut', 'What was found in its texts was erased'],
      },
    ])
    for (const [member, why] of [
      [{ signals: '{' }, ':2: signals is no JSON'],
      [{ findings: 'x' }, ':2: findings is no JSON'],
      [{ signals: '[]' }, ':2 has no verdict, signals and findings'],
      [{ verdict: 'maybe' }, ':2 has no verdict, signals and findings'],
      [{ findings: '[null]' }, ':2 has no verdict, signals and findings'],
      [{ findings: '[{"outcome":"refuse"}]' }, ':2 has no verdict, signals and findings'],
      [{ signals: { ...measured, stretches: [null] } }, ':2 has damaged signals'],
    ] as const) {
      const bad = written('bad.jsonl', [row, { ...row, ...member }].map((each) => JSON.stringify(each)).join('\n'))
      const told = await run(['replay', bad, '--policy', 'balanced'])
      expect([told.code, told.notes]).toEqual([2, expect.stringContaining(`bad.jsonl${why}`)])
    }
  })

  it('reports unread decisions, what the policy makes of them, and whether a change is an improvement', async () => {
    const signals = signalsOf({
      sentenceMatch: 0.9,
      questionLikelihood: 0.9,
    })
    const row = { verdict: 'refuse', signals, answerable: true, question: 'What is\nthe launch code?' }
    const rows = [
      { ...row, id: '1', reranker: 'failed' },
      { ...row, id: '2', reranker: 'spared', verdict: 'advise' },
      { ...row, id: '3', reranker: 'off', answerable: false },
      { ...row, id: '4', reranker: 'ok', verdict: 'pass' },
    ]
    const file = written('unread.jsonl', rows.map((each) => JSON.stringify(each)).join('\n'))
    const graded = await run(['replay', file, '--policy', 'balanced-graded'])
    expect(graded.out).toContain('  reader failed: 1 (judged by words alone, as the gate would have)')
    expect(graded.out).toContain('  reader not asked: 2 (judged by words alone)')
    expect(graded.out).toContain('Would be let through more: 3, 2 answerable and 1 to be refused')
    const balanced = await run(['replay', file, '--policy', 'balanced'])
    expect(balanced.out).toContain('  reader failed: 1 (this policy weighs no reader)')
    expect(balanced.out).not.toContain('reader not asked')
    expect(balanced.out).toMatch(/^  refuse → pass  0\.\d+  What is the launch code\?$/m)
    // The largest steps first.
    expect(balanced.out.indexOf('refuse → pass')).toBeLessThan(balanced.out.indexOf('advise → pass'))
    const json = await run(['replay', file, '--policy', 'balanced', '--json'])
    expect(JSON.parse(json.out)).toMatchObject({
      unread: { where_reader_failed: 'not_weighed', failed: 1, spared: 1, off: 1 },
    })
  })

  it('replays the latest of several results of one question', async () => {
    const result = { verdict: 'refuse', signals: signalsOf({}), findings: [], question: 'Who?' }
    const rows = [
      { ...result, key: 'a', reranker: 'failed' },
      { ...result, key: 'b' },
      { ...result, key: 'a', reranker: 'ok', verdict: 'pass' },
    ]
    const file = written('again.jsonl', rows.map((each) => JSON.stringify(each)).join('\n'))
    const { out } = await run(['replay', file, '--policy', 'balanced', '--json'])
    expect(JSON.parse(out)).toMatchObject({
      decisions: 2,
      changes: { pass: { refuse: 1 }, refuse: { refuse: 1 } },
      unread: { failed: 0 },
    })
  })

  it('reports a missing gate', async () => {
    expect(await run(['eval', labels])).toMatchObject({ code: 1, notes: expect.stringContaining('No gate answers at') })
    expect(await run(['calibrate', labels])).toMatchObject({ code: 1 })
  })
})
