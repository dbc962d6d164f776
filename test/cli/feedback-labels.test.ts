import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { answering, upstreamOfTests } from '../fixtures/scripted-upstream.ts'
import { aFolder } from './folder.ts'
import { run } from './run.ts'

const gate = upstreamOfTests()
const folder = aFolder()
const LABELS = [
  { question: 'Who may read it?', answerable: true, kind: 'answerable, by a user', collection: 'docs' },
  { question: 'Who won?', answerable: false, kind: 'unanswerable, by a reviewer', collection: 'docs' },
]

async function labels(reply: object, ...args: readonly string[]) {
  gate().answerWith(answering(JSON.stringify({ without_text: 0, ...reply })))
  return run(['labels', ...args], { env: { RAG_GATE_URL: gate().url } })
}

const linesOf = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

it('prints labelled questions without --out', async () => {
  const { code, out, notes } = await labels({ labels: LABELS })
  expect({ code, notes }).toEqual({ code: 0, notes: '' })
  expect(linesOf(out)).toEqual(LABELS)
  expect(JSON.parse((await labels({ labels: LABELS }, '--json')).out)).toEqual(LABELS)
})

it('writes labelled questions into a file, and prints their numbers', async () => {
  const file = folder.put('said.jsonl', 'what was there')
  const written = await labels({ labels: LABELS, without_text: 3 }, '--out', file)
  expect(written).toEqual({
    code: 0,
    out: `${file}: 2 labels, 1 answerable, 1 not\n`,
    notes: '3 ratings are left out, because the texts of their questions are not kept.\n',
  })
  expect(linesOf(readFileSync(file, 'utf8'))).toEqual(LABELS)
  const { out } = await labels({ labels: LABELS }, '--out', file, '--json')
  expect(JSON.parse(out)).toEqual({ out: file, labels: 2, answerable: 1, without_text: 0 })
})

it.each([
  [0, 'No answer or refusal has been rated yet: nothing is written.\n'],
  [2, '2 ratings are left out, because the texts of their questions are not kept.\n'],
])('does not overwrite a file without labels (%i without a text)', async (lost, notes) => {
  const file = folder.put('labels.jsonl', 'labelled by hand')
  expect(await labels({ labels: [], without_text: lost }, '--out', file)).toEqual({ code: 1, out: '', notes })
  expect(readFileSync(file, 'utf8')).toBe('labelled by hand')
})
