/** Questions that are judged and not answered. */
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { compositionFor } from '../../../workers/gate/compose.ts'
import { HANDBOOK, STRONG } from '../../fixtures/corpus.ts'
import { quietErrors } from '../../fixtures/quiet-console.ts'
import { ADMIN, isolateBindings, post } from '../../worker-requests.ts'

quietErrors()

interface Judgement {
  readonly verdict: string
  readonly detail: { readonly chunks: readonly { readonly id: string; readonly document_id: string }[] }
}

const judged = async (members: object): Promise<Judgement> => {
  const response = await post('/v1/judgements', { question: STRONG, ...members }, ADMIN)
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('private, no-store')
  expect(response.headers.get('rag-gate')).toMatch(/;policy="[a-z-]+@/)
  return response.json()
}

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

describe('a judgement', () => {
  test('excludes passages and documents by id, and retrieves others in their place', async () => {
    const whole = await judged({})
    const [best] = whole.detail.chunks
    expect(whole.verdict).toBe('pass')
    for (const without of [[best!.id], [best!.document_id]]) {
      const { detail } = await judged({ without })
      expect(detail.chunks.map(({ id }) => id)).not.toContain(best!.id)
      expect(detail.chunks.length).toBeGreaterThan(0)
    }
    expect(await judged({ without: [...new Set(HANDBOOK.map(({ id }) => id))] })).toMatchObject({
      verdict: 'refuse',
      detail: { chunks: [] },
    })
  })

  test('is not recorded, and neither stored in nor answered from the cache', async () => {
    const decisions = async (): Promise<number> => {
      await compositionFor(isolateBindings).log.flush()
      return (await env.DB.prepare('SELECT count(*) AS n FROM decisions').first<{ n: number }>())!.n
    }
    const before = await decisions()
    await judged({})
    expect(await decisions()).toBe(before)
    expect((await post('/ask', { question: STRONG }, ADMIN)).headers.get('cache-status')).toMatch(/fwd=miss/)
    const [best] = (await judged({})).detail.chunks
    expect((await judged({ without: [best!.id] })).detail.chunks.map(({ id }) => id)).not.toContain(best!.id)
  })
})
