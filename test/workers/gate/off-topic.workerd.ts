/** Twenty questions about nothing that the collection treats, through every policy with a name, on the Worker as it is. */
import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'
import { POLICY_NAMES, policyNamed } from '../../../workers/gate/policies/policy-named.ts'
import { HANDBOOK } from '../../fixtures/corpus.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'

const { post } = workerOver({ ...env })

const OFF_TOPIC = [
  'What is the weather in Chicago?',
  'Who painted the ceiling of the Sistine Chapel?',
  'How many moons does Jupiter have?',
  'When did the Berlin Wall fall?',
  'What is the capital of Mongolia?',
  'How do I bake sourdough bread?',
  'Which team won the cup in 1998?',
  'Why do cats purr?',
  'What causes earthquakes?',
  'How tall is Mount Kilimanjaro?',
  'Who wrote War and Peace?',
  'What is the boiling point of ethanol?',
  'How do vaccines work?',
  'When is the next solar eclipse?',
  'Which languages are spoken in Peru?',
  'How is cheese made?',
  'What does a conductor of an orchestra do?',
  'Is coffee bad for the heart?',
  'Who invented the telephone?',
  'Where do penguins live?',
]

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

const FIT = POLICY_NAMES.filter((name) => {
  const { preset, gates } = policyNamed(name)
  const isOfAnswers = gates.some(({ gate }) => gate.stage === 'post-generation')
  return preset?.needsOneOf?.includes('words') !== false && !isOfAnswers
})

it.each(POLICY_NAMES.filter((name) => !FIT.includes(name)))('%s is refused as unfit', async (policy) => {
  const put = await post('/v1/policy', { policy }, ADMIN, 'PUT')
  expect(put.status).toBe(422)
  expect(await put.text()).toContain('it needs')
})

/** Its specification takes any BM25 of .05 that leads by a fifth: one word in one passage will do. */
const MOST: Readonly<Record<string, number>> = { 'two-tier': 3 }

it.each(FIT)('%s answers few of twenty', async (policy) => {
  expect((await post('/v1/policy', { policy }, ADMIN, 'PUT')).status).toBe(200)
  const answered: string[] = []
  for (const question of OFF_TOPIC) {
    const reply = await (await post('/ask', { question })).json<{ refused: boolean; usable?: boolean }>()
    if (!reply.refused && reply.usable !== false) answered.push(question)
  }
  expect(answered.length, answered.join(' ')).toBeLessThanOrEqual(MOST[policy] ?? 1)
})
