import { describe, expect, it } from 'vitest'
import { createStaticCollections, type StaticCollection } from '../../src/adapters/static-collections.ts'
import type { CollectionScale } from '../../src/core/scale/collection-scale.ts'
import type { Collections } from '../../src/ports/collections.ts'
import { encodeLexicon } from '../../src/core/text/lexicon.ts'
import { buildLexicon } from '../fixtures/english.ts'

const lexicon = buildLexicon(['Engine starts.'])
const SCALE: CollectionScale = {
  origin: 'documents',
  kind: 'none',
  reason: 'too-few-windows',
  confidence: '',
  embeddingModel: '',
  corpusVersion: 4,
  chunkCount: 1,
  windows: 0,
  learnedAtMs: 0,
}
const make = (): Collections =>
  createStaticCollections([
    { id: 'manual' },
    { id: 'manual', tenant: 'acme', corpusVersion: 4, lexicon, scale: SCALE },
    { id: 'prices', tenant: 'acme' },
  ])

describe('createStaticCollections', () => {
  it('finds a collection of its tenant, with its defaults', async () => {
    expect(await make().find('default', 'manual')).toEqual({
      tenant: 'default',
      id: 'manual',
      documents: 'elsewhere',
      corpusVersion: 1,
      lexiconId: null,
      embeddingModel: '',
      dimension: 0,
      policyId: null,
      unpublishedChunkIds: [],
    })
  })

  it('gives each collection its own lexicon and scale', async () => {
    const collections = make()
    const found = await collections.find('acme', 'manual')
    expect(found).toMatchObject({ corpusVersion: 4, tenant: 'acme', scale: SCALE })
    expect(await collections.lexicon(found?.lexiconId ?? '')).toBe(lexicon)
    expect((await collections.find('acme', 'prices'))?.lexiconId).toBeNull()
  })

  it('finds nothing of another tenant', async () => {
    const collections = make()
    expect(await collections.find('default', 'prices')).toBeNull()
    expect(await collections.find('globex', 'manual')).toBeNull()
    expect(await collections.find('acme', 'Manual')).toBeNull()
  })

  it('has no lexicon for an unknown id', async () => {
    for (const id of ['9', 'x', '', '0']) {
      await expect(make().lexicon(id)).rejects.toMatchObject({
        code: 'lexicon_unreadable',
        message: 'There is no such lexicon',
      })
    }
  })

  it.each([
    [{ id: 'manual' }, 'list', 'The collections must be a list'],
    [[{ id: '' }], 'id', /^id must be/],
    [[{ id: 'manual', tenant: '' }], 'tenant', /^tenant must be/],
    [[{ id: 'manual', corpusVersion: 0 }], 'corpusVersion', /^corpusVersion must be/],
    [[{ id: 'manual', scale: {} }], 'scale', 'scale must be what learnScale of @hono-rag-gate/ingest gave'],
  ])('rejects the list %j', (list, param, message) => {
    expect(() => createStaticCollections(list as readonly StaticCollection[])).toThrow(
      expect.objectContaining({ code: 'config_invalid', param, message: expect.stringMatching(message) }),
    )
  })
})

it('a tenant cannot have a collection twice, but two tenants can have one each', () => {
  const twice = [{ id: 'manual' }, { id: 'prices' }, { id: 'manual', tenant: 'default' }]
  expect(() => createStaticCollections(twice)).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      param: 'id',
      message: 'A tenant cannot have the same collection twice',
    }),
  )
  expect(() => createStaticCollections([{ id: 'manual' }, { id: 'manual', tenant: 'acme' }])).not.toThrow()
})

describe('a lexicon given as text', () => {
  it.each([
    ['unchanged', (text: string) => text],
    ['with a line break at its end', (text: string) => `${text}\n`],
    ['with CRLF line ends', (text: string) => text.replaceAll('\n', '\r\n')],
  ])('%s is parsed, once', async (_name, changed) => {
    const made = buildLexicon(['Engine starts.', 'Engine stops.'])
    const given = createStaticCollections([{ id: 'manual', lexicon: changed(encodeLexicon(made)) }])
    const id = (await given.find('default', 'manual'))?.lexiconId ?? ''
    const lexicon = await given.lexicon(id)
    expect(lexicon).toEqual(made)
    expect(await given.lexicon(id)).toBe(lexicon)
  })

  it('causes lexicon_unreadable when it is damaged and read', async () => {
    const given = createStaticCollections([{ id: 'manual', lexicon: 'lexicon/2 english 2 x' }])
    await expect(given.lexicon('0')).rejects.toMatchObject({ code: 'lexicon_unreadable' })
  })
})
