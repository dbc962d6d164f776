/** Commands against an address at which something other than a gate answers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Answer, answering, upstreamOfTests } from '../fixtures/scripted-upstream.ts'
import { run } from './run.ts'

const server = upstreamOfTests()
const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-other-servers-'))
afterAll(() => rmSync(folder, { recursive: true }))
const [page, labels, policy, out] = ['page.md', 'labels.jsonl', 'policy.json', 'out'].map((name) => join(folder, name))
writeFileSync(page!, 'The launch code is 7421.')
writeFileSync(labels!, '{"question":"Which?","answerable":true,"relevant_ids":["page.md"]}\n')
writeFileSync(policy!, '{"settings":{}}')

const COMMANDS = [
  ['keys', 'list'],
  ['keys', 'make', '--name', 'mine', '--scopes', 'ask'],
  ['keys', 'revoke', 'abc'],
  ['labels', '--out', out],
  ['policy', 'list'],
  ['policy', 'push', policy],
  ['policy', 'use', 'balanced'],
  ['policy', 'rollback'],
  ['query', 'Which?'],
  ['query', 'Which?', '--debug'],
  ['eval', labels],
  ['eval', labels, '--judge-only'],
  ['calibrate', labels, '--out', out],
  ['calibrate', labels, '--hidden-gold', '--out', out],
  ['ingest', page],
  ['ingest', page, '--prune', '--yes'],
] as readonly (readonly string[])[]

/** An object in which every member that commands read has this value. */
function everyMember(value: unknown): string {
  const names = ['keys', 'labels', 'policies', 'choices', 'named', 'collections', 'documents', 'next_cursor']
  const further = ['id', 'token', 'scopes', 'answer', 'verdict', 'detail', 'sources', 'without_text', 'corpus_version']
  const members = Object.fromEntries([...names, ...further].map((name) => [name, value]))
  // Where a gate chooses no policy, this is `null`.
  return JSON.stringify({ ...members, policy: value ?? 0 })
}

const NO_GATE = 'answered 200, and not as a gate does'
const OTHERS: readonly (readonly [what: string, answer: Answer, said: string])[] = [
  ['a page', answering('<h1>Hello</h1>'), NO_GATE],
  ['other JSON', answering('{"hello":"world"}'), NO_GATE],
  ['a list', answering('[1]'), NO_GATE],
  ...[null, true, 5, [null], [5], [{}], {}].map(
    (value) => [`members that are ${JSON.stringify(value)}`, answering(everyMember(value)), NO_GATE] as const,
  ),
  ['a redirect', answering('', 308, { location: 'https://gate.example/' }), 'redirects to https://gate.example/: give'],
  ['what is not compressed', answering('{}', 200, { 'content-encoding': 'gzip' }), 'broke off, or cannot be decoded'],
  [
    'a part of its response',
    (response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"keys"', () => response.destroy())
    },
    'broke off, or cannot be decoded',
  ],
]

describe.each(OTHERS)('an address that answers with %s', (_, answer, said) => {
  it.each(COMMANDS)('is reported in one line by rag-gate %s %s … (%#)', async (...args) => {
    server().answerWith(answer)
    const ran = await run(args, { env: { RAG_GATE_URL: server().url, RAG_GATE_KEY: 'k'.repeat(40) } })
    expect(ran).toEqual({ code: 1, out: '', notes: expect.stringMatching(/^rag-gate: .+\n$/) })
    expect(ran.notes).toContain(said)
  })
})

/** Replies of a gate, but for one member. */
it.each([
  [['query', 'Which?'], { answer: 'A.', verdict: 'pass', sources: [{ title: ['A'] }] }],
  [['ingest', page], { documents: [{ id: 'page.md', status: 'added', chunks: 1 }] }],
  [['eval', labels], { verdict: 'pass', reason_code: 'passed', detail: { confidence: '1', chunks: [] } }],
  [['policy', 'list'], { named: [], policies: [], choices: [], collections: [{ id: 'docs', policy: null }] }],
] as readonly (readonly [readonly string[], object])[])(
  'a reply with a member of the wrong kind is reported in one line (%#)',
  async (args, reply) => {
    const detail = { signals: {}, gates: [], findings: [] }
    server().answerWith((response, { method }) => {
      const listed = method === 'GET' && args[0] === 'ingest'
      const whole = listed ? { documents: [], next_cursor: null } : { corpus_version: 1, ...reply }
      const body = 'detail' in whole ? { ...whole, detail: { ...detail, ...(whole.detail as object) } } : whole
      response.end(JSON.stringify(body))
    })
    const ran = await run(args, { env: { RAG_GATE_URL: server().url } })
    expect(ran).toEqual({ code: 1, out: '', notes: `rag-gate: The address ${NO_GATE}\n` })
  },
)
