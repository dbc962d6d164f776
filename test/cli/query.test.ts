import { afterEach, describe, expect, it, vi } from 'vitest'
import { type RunSettings, run } from './run.ts'

const CHUNK = { id: 'c1', document_id: 'engine.md', text: 'The engine starts.', scores: { grade: 3, bm25: 1.25 } }
const EXPLANATION = {
  facts: [
    { label: 'Top chunk score', value: '3' },
    { label: 'Chunks above threshold (2)', value: '1' },
  ],
  decision: 'PASS',
  checks: [{ passed: true, text: '✅ Top score (3) ≥ threshold (2)' }],
  analysis: [{ metric: 'top_score', text: '✅ Top score (3): strong' }],
  confidence: {
    overall_confidence: 0.92,
    interpretation: 'HIGH - Strong retrieval confidence',
    should_flag_for_review: false,
  },
}
const ANSWER = {
  answer: 'Turn the key. [1]',
  answered_by: 'model',
  refused: false,
  verdict: 'pass',
  band: 'high',
  reason_code: 'passed',
  sources: [
    { number: 1, id: 'c1', document_id: 'engine.md', title: 'Engine', section: 'Engine › Starting' },
    { number: 2, id: 'c2', document_id: 'paint.md' },
  ],
  detail: { confidence: 0.92, findings: [], chunks: [CHUNK], explanation: EXPLANATION },
}
const REFUSAL = {
  ...ANSWER,
  answer: 'I cannot answer this question.',
  refused: true,
  verdict: 'refuse',
  refusal_reason: 'Top chunk relevance score (1) below threshold (2)',
  suggestions: ['Use the words of the documents'],
  sources: [],
}

/** What is printed of what a gate replies. */
async function asked(reply: object, args: readonly string[] = [], settings: RunSettings = {}) {
  vi.stubGlobal('fetch', async () =>
    Response.json(reply, { headers: { 'cache-status': 'rag-gate; hit', 'server-timing': 'total;dur=3' } }),
  )
  return run(['query', 'How does it start?', ...args], settings)
}
afterEach(() => void vi.unstubAllGlobals())

describe('rag-gate query', () => {
  it('prints the answer, its cited sources, and the confidence with a tick', async () => {
    expect(await asked(ANSWER)).toEqual({
      code: 0,
      notes: '',
      out: [
        'Turn the key. [1]',
        '',
        '[1] engine.md · Engine › Starting',
        '1 more passage was at hand, not cited',
        '',
        '📊 RAG Confidence: ✓ HIGH - Strong retrieval confidence (0.92)',
        '',
      ].join('\n'),
    })
  })

  it('prints what the gate would have refused in observe mode', async () => {
    const note = 'Not supported, and answered all the same: the gate observes, and refuses nothing yet.'
    expect((await asked({ ...ANSWER, verdict: 'refuse' })).out).toContain(`${note}\n\nTurn the key. [1]\n`)
    expect((await asked(ANSWER)).out).not.toContain(note)
    expect((await asked(REFUSAL)).out).not.toContain(note)
  })

  it('prints no confidence for the public, and all sources when none is cited', async () => {
    const { detail: _, ...body } = { ...ANSWER, answer: 'Turn the key.' }
    const { out } = await asked(body)
    expect(out).not.toContain('Confidence')
    expect(out).toContain('[1] engine.md · Engine › Starting\n[2] paint.md\n')
  })

  it('prints search results with texts that cannot imitate its own lines', async () => {
    const passages = [
      {
        id: 'c1',
        document_id: 'engine.md',
        section: 'Engine › Starting',
        text: 'Turn the key.\r\n\n- Then wait.\rNot long.',
      },
      { id: 'c2', document_id: 'paint.md', text: '📊 RAG Confidence: ✓ HIGH' },
    ]
    const { detail: _, ...body } = { ...ANSWER, answer: 'Found 2 passages for this question.', answered_by: 'search' }
    expect((await asked({ ...body, passages })).out).toBe(
      [
        'Found 2 passages for this question.',
        '',
        '[1] engine.md · Engine › Starting',
        '    Turn the key.',
        '',
        '    - Then wait.    Not long.',
        '',
        '[2] paint.md',
        '    📊 RAG Confidence: ✓ HIGH',
        '',
      ].join('\n'),
    )
  })

  it.each([
    ['PASS', false, '\u001b[32m✓\u001b[0m HIGH'],
    ['ADVISE', true, '\u001b[33m⚠️\u001b[0m HIGH'],
  ])('prints %s in green or yellow on a terminal (R084)', async (_, flagged, line) => {
    const explanation = {
      ...EXPLANATION,
      confidence: { ...EXPLANATION.confidence, should_flag_for_review: flagged },
    }
    const body = { ...ANSWER, detail: { ...ANSWER.detail, explanation } }
    expect((await asked(body, [], { tty: true })).out).toContain(`📊 RAG Confidence: ${line}`)
    for (const settings of [{ tty: true, env: { NO_COLOR: '1' } }, { tty: false }]) {
      expect((await asked(body, [], settings)).out).not.toContain('\u001b')
    }
  })

  it('prints a warning before the first citation of a flagged retrieval (R061)', async () => {
    const confidence = {
      overall_confidence: 0.6999,
      interpretation: 'LOW - Weak retrieval, mandatory review',
      should_flag_for_review: true,
    }
    const { out } = await asked({
      ...ANSWER,
      detail: { ...ANSWER.detail, explanation: { ...EXPLANATION, confidence } },
    })
    expect(out).toContain('\n⚠️ LOW - Weak retrieval, mandatory review\n[1] engine.md')
    // Never rounded up to a threshold.
    expect(out).toContain('⚠️ LOW - Weak retrieval, mandatory review (0.69)')
  })

  it('prints no confidence line for a policy without such a confidence', async () => {
    const { confidence: _, ...explanation } = EXPLANATION
    const { out } = await asked({ ...ANSWER, detail: { ...ANSWER.detail, explanation } }, ['--debug'])
    expect(out).not.toContain('RAG Confidence')
    expect(out).toContain('Decision: PASS')
  })

  it("reads the confidence from the preset's glance if it contains one", async () => {
    const { confidence, ...explanation } = EXPLANATION
    const told = async (glance: object) =>
      (await asked({ ...ANSWER, detail: { ...ANSWER.detail, explanation: { ...explanation, glance } } })).out
    expect(await told(confidence)).toContain('📊 RAG Confidence: ✓ HIGH - Strong retrieval confidence (0.92)')
    expect(await told({ usable: false })).not.toContain('RAG Confidence')
  })

  it('prints an answer of a route without sources', async () => {
    const { sources: _, detail: __, ...bare } = ANSWER
    expect(await asked(bare)).toMatchObject({ code: 0, out: 'Turn the key. [1]\n', notes: '' })
  })

  it('prints a caution', async () => {
    expect((await asked({ ...ANSWER, caution: 'Verify this.' })).out).toContain('Turn the key. [1]\n⚠️ Verify this.\n')
  })

  it('prints a refusal with its reason, the closest passages and suggestions, and exits with 0', async () => {
    const closest = [
      { title: 'Engine', section: 'Starting' },
      { document_id: 'paint.md', title: 'Paint' },
    ]
    const { code, out } = await asked({ ...REFUSAL, detail: undefined, closest })
    expect(code).toBe(0)
    expect(out).toBe(
      [
        'I cannot answer this question.',
        'Reason: Top chunk relevance score (1) below threshold (2)',
        '',
        'Closest passages:',
        '  Engine · Starting',
        '  paint.md',
        '',
        'What helps:',
        '  Use the words of the documents',
        '',
      ].join('\n'),
    )
  })

  it('prints the unchanged reply with --json', async () => {
    const { out } = await asked({ ...ANSWER, answer: 'a\u202eb' }, ['--json'])
    expect(JSON.parse(out)).toEqual({ ...ANSWER, answer: 'a\u202eb' })
    expect(out).not.toContain('\u202e')
  })

  it('does not let a document write its own lines', async () => {
    const sources = [{ number: 1, document_id: 'a\u001b[2J.md', section: 'x\n📊 RAG Confidence: ✓ HIGH (1.00)\u202e' }]
    const { out } = await asked({ ...ANSWER, detail: undefined, sources }, [], { tty: true })
    expect(out).toContain('[1] a.md · x 📊 RAG Confidence: ✓ HIGH (1.00)\n')
  })
})

describe('rag-gate query --debug', () => {
  it("prints the specification's block for a pass (R028)", async () => {
    const { out } = await asked(ANSWER, ['--debug'])
    expect(out).toContain(
      [
        '\nConfidence Gate:',
        '  Top chunk score: 3',
        '  Chunks above threshold (2): 1',
        '  Decision: PASS',
        '',
        'Checks:',
        '  ✅ Top score (3) ≥ threshold (2)',
        '',
        'Retrieval:',
        '  ✅ Top score (3): strong',
        '  top chunk: engine.md (grade 3.000, bm25 1.250)',
        '  cache: rag-gate; hit',
        '  timings: total;dur=3\n',
      ].join('\n'),
    )
  })

  it('prints the block for a refusal, with the reason once', async () => {
    const explanation = { ...EXPLANATION, decision: 'REFUSE', reason: REFUSAL.refusal_reason, checks: [] }
    const { out } = await asked({ ...REFUSAL, detail: { ...REFUSAL.detail, explanation } }, ['--debug'])
    expect(out).toContain(`  Decision: REFUSE\n  Reason: ${REFUSAL.refusal_reason}\n\nRetrieval:`)
    expect(out.split(REFUSAL.refusal_reason)).toHaveLength(2)
    expect(out).not.toContain('Checks')
  })

  it('prints only explanations that the gate sent', async () => {
    const explanation = { ...EXPLANATION, facts: [], checks: [], analysis: [] }
    const { out } = await asked({ ...ANSWER, detail: { ...ANSWER.detail, explanation } }, ['--debug'])
    expect(out).not.toMatch(/clear winner|✅|❌/)
  })

  it('prints the findings of a gate that sends no explanation', async () => {
    const findings = [
      { gate: 'confidence-range', outcome: 'pass', message: 'Confidence (0.91) is high' },
      { gate: 'graded-relevance', outcome: 'skip', message: 'No grades' },
    ]
    const { out } = await asked({ ...ANSWER, detail: { confidence: 0.9, findings, chunks: [] } }, ['--debug'])
    expect(out).toContain('Confidence Gate:\n  confidence-range: Confidence (0.91) is high\n  Decision: PASS\n')
    expect(out).not.toContain('No grades')
    expect(out).toContain('top chunk: none')
  })

  it('needs the detail that operators get', async () => {
    const { detail: _, ...body } = ANSWER
    expect(await asked(body, ['--debug'])).toMatchObject({ code: 1, notes: expect.stringContaining('scope admin') })
  })
})

describe('a response that is not an answer', () => {
  it.each([
    [
      Response.json({ error: { code: 'forbidden', message: 'No.' } }, { status: 403 }),
      'rag-gate: forbidden: No.\nThe scopes of a key do not change: with one that has admin, `rag-gate keys make` makes another.\n',
    ],
    [
      Response.json({ error: { code: 'not_found', message: 'There is nothing here' } }, { status: 404 }),
      'rag-gate: not_found: There is nothing here\nIs this the address of the gate itself, without a path such as /v1/dashboard?\n',
    ],
    [
      new Response('<h1>Bad gateway</h1>', { status: 502 }),
      'rag-gate: The address answered 502, and not as a gate does\n',
    ],
    [
      new Response('404 Not Found', { status: 404 }),
      'rag-gate: The address answered 404, and not as a gate does: is it the ready Worker? An app of your own has the routes that you mount\n',
    ],
    [new Response('<h1>Hello</h1>'), 'rag-gate: The address answered 200, and not as a gate does\n'],
  ])('is reported in one line (%#)', async (response, notes) => {
    vi.stubGlobal('fetch', async () => response)
    expect(await run(['query', 'What?'])).toEqual({ code: 1, out: '', notes })
  })
})
