import { expect, it } from 'vitest'
import { answering, upstreamOfTests } from '../fixtures/scripted-upstream.ts'
import { run } from './run.ts'

const gate = upstreamOfTests()

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
