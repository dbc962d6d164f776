import { afterEach, describe, expect, it, vi } from 'vitest'
import { queryCommand } from '../../src/cli/query.ts'
import { twoTier } from '../../src/presets/two-tier/two-tier.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { aGate, QUESTION, STRONG } from '../fixtures/gate.ts'

/** What the command prints of a gate whose reranker gave these grades. */
async function debugged(...grades: number[]): Promise<string> {
  const entries = grades.map((score, at) => ({ passage: aPassage(`chunk-${at}`, { text: STRONG }), score }))
  const { app } = aGate({
    policy: twoTier(),
    finds: () => [{ kind: 'grade', entries }],
    dependencies: { audience: 'operator' },
    handler: (c) => c.json({ answer: 'Turn the key.', refused: false, sources: [], ...c.var.ragGate.summary }),
  })
  vi.stubGlobal('fetch', async (url: URL | string, init?: RequestInit) => app.request(new URL(url).pathname, init))
  let out = ''
  const terminal = { out: (line: string) => void (out += `${line}\n`), notes: { write: () => undefined }, env: {} }
  await queryCommand({ url: 'http://gate' }, { question: QUESTION, debug: true, json: false }, terminal)
  return out
}

describe("rag-gate query --debug, on grades, prints the document's block (R028)", () => {
  afterEach(() => void vi.unstubAllGlobals())

  it('for a pass', async () => {
    expect(await debugged(3, 1)).toContain(
      ['Confidence Gate:', '  Top chunk score: 3', '  Chunks above threshold (2): 1', '  Decision: PASS\n'].join('\n'),
    )
  })

  it('for a refusal', async () => {
    expect(await debugged(1)).toContain(
      [
        'Confidence Gate:',
        '  Top chunk score: 1',
        '  Chunks above threshold (2): 0',
        '  Decision: REFUSE',
        '  Reason: Top chunk relevance score (1) below threshold (2)',
      ].join('\n'),
    )
  })
})
