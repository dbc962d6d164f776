import { expect, it } from 'vitest'
import { answering, upstreamOfTests } from '../fixtures/scripted-upstream.ts'
import { run } from './run.ts'

const gate = upstreamOfTests()

it('lists valid, expired and revoked keys', async () => {
  const key = (id: string, expires: string | null, revoked: string | null = null) => ({
    id,
    tenant: 'acme',
    name: `the\n${id}`,
    scopes: ['ask'],
    expires_at: expires,
    revoked_at: revoked,
  })
  const [past, coming] = ['2020-01-01T00:00:00.000Z', '9999-01-01T00:00:00.000Z']
  const keys = [key('one', null), key('two', coming), key('three', past), key('four', past, past)]
  gate().answerWith(answering(JSON.stringify({ keys })))
  const { out } = await run(['keys', 'list'], { env: { RAG_GATE_URL: gate().url } })
  expect(out.split(/\n/).map((line) => line.replaceAll(/ {2,}/g, ' '))).toEqual([
    'one ask valid the one',
    `two ask until ${coming} the two`,
    `three ask expired ${past} the three`,
    `four ask revoked ${past} the four`,
    '',
  ])
})
