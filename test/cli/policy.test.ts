import { expect, it } from 'vitest'
import { answering, upstreamOfTests } from '../fixtures/scripted-upstream.ts'
import { aFolder } from './folder.ts'
import { run } from './run.ts'

const gate = upstreamOfTests()
const folder = aFolder()

it.each([
  [['use', 'two-tier'], 'two-tier', null],
  [['use', 'two-tier', '--collection', 'docs'], 'two-tier', 'docs'],
  [['use', 'default', '--collection', 'docs'], null, 'docs'],
  [['rollback', '--collection', 'docs'], null, 'docs'],
  [['rollback'], 'balanced', null],
])('prints the policy in use for policy %j --json', async (args, policy, collection) => {
  gate().answerWith(answering(JSON.stringify({ policy })))
  const { code, out, notes } = await run(['policy', ...args, '--json'], { env: { RAG_GATE_URL: gate().url } })
  expect({ code, notes }).toEqual({ code: 0, notes: '' })
  expect(JSON.parse(out)).toEqual({ collection, policy })
})

it('pushes nothing with --use for a policy without a collection', async () => {
  const calls = gate().calls()
  const file = folder.put('policy.json', '{"settings":{},"pin":null}')
  expect(await run(['policy', 'push', file, '--use'], { env: { RAG_GATE_URL: gate().url } })).toEqual({
    code: 2,
    out: '',
    notes: 'rag-gate: --use needs --collection: this policy is pinned to none\n',
  })
  expect(gate().calls()).toBe(calls)
})

it('reports a policy that was pushed, and could not be chosen', async () => {
  const file = folder.put('policy.json', '{"settings":{},"pin":{"collection":"docs"}}')
  gate().answerWith((response, { url }) => {
    if (url === '/v1/policies/pushed') return response.end('{"id":"docs@1","name":"docs","version":1}')
    response.writeHead(404).end('{"error":{"code":"collection_not_found","message":"There is no such collection"}}')
  })
  const { code, out, notes } = await run(['policy', 'push', file, '--use'], { env: { RAG_GATE_URL: gate().url } })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(notes).toMatch(/^docs@1 is pushed, and not in use:\nrag-gate: collection_not_found: /)
})

it('reports a policy of another collection at once', async () => {
  const calls = gate().calls()
  gate().answerWith((response) => {
    response.writeHead(409).end('{"error":{"code":"policy_pin_mismatch","message":"Calibrate again"}}')
  })
  expect(await run(['policy', 'use', 'docs@1'], { env: { RAG_GATE_URL: gate().url } })).toEqual({
    code: 1,
    out: '',
    notes: 'rag-gate: policy_pin_mismatch: Calibrate again\n',
  })
  expect(gate().calls() - calls).toBe(1)
})
