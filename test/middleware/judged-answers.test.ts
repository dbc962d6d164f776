import { CAUTION_FOR_READER } from '../../src/core/reports/caution.ts'
import { answerJudge } from '../../src/middleware/answer-judge.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { sufficiencyPreset } from '../../packages/presets/src/sufficiency/sufficiency.ts'
import type { PolicyGate } from '../../src/core/gates/gate.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { evidenceShare } from '../../packages/presets/src/sufficiency/evidence-share.ts'
import { generationConfidence } from '../../packages/presets/src/answers/generation-confidence.ts'
import { grounding } from '../../packages/presets/src/answers/grounding.ts'
import { definePolicy, type Policy, type PolicyInput } from '../../src/core/policy/policy.ts'
import { advisory } from '../../packages/presets/src/advisory/advisory.ts'
import { multiGate } from '../../packages/presets/src/multi-gate/multi-gate.ts'
import { defineRule, refuseTopics, type Rule } from '../../src/core/policy/rules.ts'
import { aGate, asOperator, type GateFixture, type HandlerContext, POLICY, QUESTION, STRONG } from '../fixtures/gate.ts'

const withAnswerGates = (gates: readonly PolicyGate[], more: Partial<PolicyInput> = {}): Policy =>
  definePolicy({ ...POLICY, gates: [...POLICY.gates, ...gates], ...more })

const GROUNDED = withAnswerGates([grounding()])
const HELD = 'The engine starts with the red key.'
const INVENTED = 'The engine needs 7 blue Batteries.'

const answering =
  (answer: unknown, more: object = {}) =>
  (c: HandlerContext): Response =>
    c.json({ answer, ...c.var.ragGate.summary, ...more })

function journalOf(options: GateFixture) {
  const gate = aGate({ finds: [STRONG], ...options })
  return { ...gate, verdicts: () => gate.journal.events.map(({ decision }) => decision.verdict) }
}

describe('an answer that the policy judges', () => {
  afterEach(() => vi.restoreAllMocks())

  it('is sent unchanged and stored when the passages support it', async () => {
    const { ask, journal } = journalOf({ policy: GROUNDED, handler: answering(HELD) })
    const response = await ask()
    expect(await response.json()).toMatchObject({ answer: HELD, verdict: 'pass', reason_code: 'passed' })
    expect(response.headers.get('rag-gate')).toMatch(/^pass;/)
    expect(journal.stored).toHaveLength(1)
    expect(journal.events[0]?.decision.findings.map(({ gate, stage }) => [gate, stage])).toEqual([
      ['confidence-range', 'pre-generation'],
      ['grounding', 'post-generation'],
    ])
    expect(journal.events[0]?.decision.answerSignals?.sentences).toHaveLength(1)
  })

  it('is replaced by a refusal when the passages do not support it, and recorded with both stages', async () => {
    const handler = answering(INVENTED, { secret: 'Batteries' })
    const { ask, journal } = journalOf({ policy: GROUNDED, handler, closestPassages: 1 })
    const response = await ask()
    const text = await response.text()
    expect(text).not.toContain('Batteries')
    expect(JSON.parse(text)).toMatchObject({
      answer: 'I cannot give an answer that the available documents confirm.',
      refused: true,
      sources: [],
      verdict: 'refuse',
      reason_code: 'answer_unsupported',
      closest: [{ title: 'Title 0' }],
    })
    expect(response.headers.get('rag-gate')).toMatch(/^refuse;.*reason=answer_unsupported/)
    const { decision } = journal.events[0]!
    expect(decision).toMatchObject({ verdict: 'refuse', reason: 'answer_unsupported' })
    expect(decision.findings.map(({ outcome, stage }) => [outcome, stage])).toEqual([
      ['pass', 'pre-generation'],
      ['refuse', 'post-generation'],
    ])
    expect(JSON.stringify(journal.events)).not.toContain('Batteries')
    expect(journal.stored.map(({ body, lifetimeSeconds }) => [body, lifetimeSeconds])).toEqual([[text, 30]])
    const again = await ask()
    expect(await again.text()).toBe(text)
    expect(journal.handled).toHaveLength(1)
  })

  it('that was replaced leaves no header behind, except those of others', async () => {
    const handler = (c: HandlerContext): Response => {
      c.header('ETag', '"of-the-answer"')
      c.header('Cache-Control', 'public, max-age=600')
      c.header('Access-Control-Allow-Origin', '*')
      return c.json({ answer: INVENTED })
    }
    const { headers } = await journalOf({ policy: GROUNDED, handler }).ask()
    expect([headers.get('etag'), headers.get('cache-control')]).toEqual([null, 'private, no-store'])
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('content-type')).toBe('application/json')
  })

  it('is refused with the status that onRefuse sets, also from the cache', async () => {
    const onRefuse = (_decision: unknown, c: { status: (status: 403) => void }) => c.status(403)
    const { ask, journal } = journalOf({ policy: GROUNDED, handler: answering(INVENTED), onRefuse })
    expect([(await ask()).status, (await ask()).status, journal.handled.length]).toEqual([403, 403, 1])
  })

  it('is refused with its unsupported sentences shown to operators, and never to the public', async () => {
    const options = { policy: GROUNDED, handler: answering(`${HELD} ${INVENTED}`) }
    const { ask } = journalOf({ ...options, dependencies: { authenticate: asOperator } })
    expect(await (await ask()).json()).toMatchObject({
      refusal_reason: 'Not supported by the passages: sentence 2 of 2',
      detail: { unsupported_sentences: [INVENTED] },
    })
    expect(await (await journalOf(options).ask()).json()).not.toHaveProperty('detail')
  })

  const unreadable: readonly (readonly [string, (c: HandlerContext) => Response])[] = [
    ['a text that was not reported', (c) => c.text(HELD)],
    ['JSON without the member', (c) => c.json({ text: HELD })],
    ['JSON whose member is no text', answering({ text: HELD })],
    ['JSON that is a list', (c) => c.json([HELD])],
    ['broken JSON', () => new Response('{"answer":', { headers: { 'content-type': 'application/json' } })],
    ['an empty answer', answering(' ')],
    [
      'packed JSON',
      (c) => {
        c.header('Content-Encoding', 'br')
        return c.json({ answer: HELD })
      },
    ],
    ['no body', (c) => c.body(null, 204)],
    ['a stream', () => new Response(`data: ${HELD}\n\n`, { headers: { 'content-type': 'text/event-stream' } })],
    ['a redirect', (c) => c.redirect('/elsewhere')],
    [
      'a body that breaks off',
      () =>
        new Response(new ReadableStream({ start: (stream) => stream.error(new Error('gone')) }), {
          headers: { 'content-type': 'application/json' },
        }),
    ],
    ['more than is read', answering(HELD.repeat(1_048_576 / HELD.length + 1))],
  ]

  it.each(unreadable)('is refused when it cannot be read: %s', async (_, handler) => {
    const { ask, journal } = journalOf({ policy: GROUNDED, handler, dependencies: { authenticate: asOperator } })
    const response = await ask()
    expect(response.status).toBe(200)
    const body = await response.json()
    expect(body).toMatchObject({ refused: true, reason_code: 'answer_unreadable', detail: {} })
    expect(body).not.toHaveProperty('detail.unsupported_sentences')
    expect(journal.stored.every(({ decision }) => decision.verdict === 'refuse')).toBe(true)
  })

  /** Bodies beside which a reported answer counts: what they claim to be has no other. */
  const WITHOUT_ANSWER = ['a text that was not reported', 'JSON without the member', 'no body', 'a redirect']

  it.each(unreadable)(
    'is not what the handler reported if its body may be another answer: %s',
    async (what, handler) => {
      const { ask, journal } = journalOf({
        policy: GROUNDED,
        handler: (c) => {
          c.var.ragGate.report({ answer: HELD })
          return handler(c)
        },
      })
      await ask()
      const reason = WITHOUT_ANSWER.includes(what) ? 'passed' : 'answer_unreadable'
      expect(journal.events.map(({ decision }) => decision.reason)).toEqual([reason])
    },
  )

  it('may be any text that the handler reported, unless the body contains another answer', async () => {
    const reported = (body: (c: HandlerContext) => Response) => (c: HandlerContext) => {
      c.var.ragGate.report({ answer: HELD })
      return body(c)
    }
    const text = await journalOf({ policy: GROUNDED, handler: reported((c) => c.text(HELD)) }).ask()
    expect(await text.text()).toBe(HELD)
    const other = journalOf({ policy: GROUNDED, handler: reported((c) => c.json({ answer: INVENTED })) })
    expect(await (await other.ask()).json()).toMatchObject({ reason_code: 'answer_unsupported' })
  })

  it("keeps its body, and what its headers say of that, unless it contains the gate's decision", async () => {
    const fields = ['content-length', 'etag', 'content-digest', 'repr-digest']
    const said = Object.fromEntries(fields.map((name) => [name, name]))
    const answer = async (more: (c: HandlerContext) => object) => {
      const handler = (c: HandlerContext) => c.json({ answer: HELD, ...more(c) }, 200, { ...said, 'x-own': 'kept' })
      const response = await journalOf({ policy: GROUNDED, handler, cache: { store: undefined } }).ask()
      expect(response.headers.get('x-own')).toBe('kept')
      return { body: await response.json(), kept: fields.filter((name) => response.headers.has(name)) }
    }
    expect(await answer(() => ({ decision_id: 'another' }))).toEqual({
      body: { answer: HELD, decision_id: 'another' },
      kept: fields,
    })
    const judged = await answer((c) => ({ decision_id: c.var.ragGate.decision.id }))
    expect(judged).toMatchObject({ body: { answer: HELD, verdict: 'pass' }, kept: [] })
    expect(judged.body).not.toHaveProperty('caution')
  })

  it.each([400, 404, 503] as const)(
    'is not looked for in responses with status %d, which are not stored',
    async (status) => {
      const handler = (c: HandlerContext) => c.json({ error: 'no answer' }, status, { 'cache-control': 'max-age=60' })
      const { ask, journal } = journalOf({ policy: GROUNDED, handler })
      const response = await ask()
      expect([response.status, await response.json()]).toEqual([status, { error: 'no answer' }])
      expect(journal.stored).toEqual([])
    },
  )

  it('is sent and only recorded in observe mode, streams too', async () => {
    const { ask, verdicts, journal } = journalOf({ policy: GROUNDED, mode: 'observe', handler: answering(INVENTED) })
    expect(await (await ask()).json()).toMatchObject({ answer: INVENTED })
    expect([verdicts(), journal.stored]).toEqual([['refuse'], []])
    const stream = new Response('data: x\n\n', { headers: { 'content-type': 'text/event-stream' } })
    expect(await (await journalOf({ policy: GROUNDED, mode: 'observe', handler: () => stream }).ask()).text()).toBe(
      'data: x\n\n',
    )
  })

  it.each<[string, GateFixture]>([
    ['in observe mode', { policy: GROUNDED, mode: 'observe' }],
    ['with disabled gates', { policy: withAnswerGates([grounding()], { dangerouslyDisableGates: true }) }],
  ])('is sent %s even if it is too long to judge, and left when its reader leaves', async (_, fixture) => {
    vi.spyOn(console, 'warn').mockReturnValue()
    const askedWith = (handler: GateFixture['handler']) =>
      journalOf({ ...fixture, handler: handler!, cache: { store: undefined } }).app.request('/ask', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ question: QUESTION }),
      })
    const long = HELD.repeat(1_048_576 / HELD.length + 1)
    expect(await (await askedWith((c) => c.json({ answer: long }))).json()).toEqual({ answer: long })
    const left = vi.fn<() => void>()
    const stream = new ReadableStream({ cancel: left })
    const { body } = await askedWith(() => new Response(stream, { headers: { 'content-type': 'text/event-stream' } }))
    await body!.cancel()
    expect(left).toHaveBeenCalledOnce()
  })

  it('is judged by the shares that the handler reports', async () => {
    const policy = withAnswerGates([evidenceShare()], { preset: sufficiencyPreset, wording: 'specification' })
    const reporting = (share: number, chunkId = 'chunk-0') =>
      journalOf({
        policy,
        dependencies: { authenticate: asOperator },
        handler: (c) => {
          c.var.ragGate.report({ attribution: { shares: [{ chunkId, share }], noSupport: 1 - share } })
          return c.json({ answer: HELD, ...c.var.ragGate.summary })
        },
      }).ask()
    expect(await (await reporting(0.65)).json()).toMatchObject({
      answer: HELD,
      gating: { passes: true, max_attention: 0.65, margin: 0.15, max_chunk_id: 'chunk-0' },
    })
    expect(await (await reporting(0.35)).json()).toMatchObject({
      status: 'insufficient_evidence',
      refusal_reason:
        'No legal provision received sufficient attention support. Highest attention was 35.0% but threshold is 50.0%.',
      max_attention: 0.35,
      required_threshold: 0.5,
      deficit: 0.15,
      evidence_count: 1,
      evidence_summary: [{ chunk_id: 'chunk-0' }],
      gating: { passes: false },
    })
    expect(await (await reporting(0.9, 'elsewhere')).json()).toMatchObject({ reason_code: 'shares_invalid' })
  })
})

describe('the generation-confidence gate on a route', () => {
  const CONFIDENT = withAnswerGates([generationConfidence()])
  const reporting = (report: object, generationConfidence: 'reported' | 'token-log-probabilities' = 'reported') =>
    journalOf({
      policy: CONFIDENT,
      answer: { judge: answerJudge({ generationConfidence }) },
      handler: (c) => {
        c.var.ragGate.report(report)
        return c.json({ answer: HELD, ...c.var.ragGate.summary })
      },
    }).ask()

  it('needs answer.judge', () => {
    const dependencies = { retriever: { retrieve: () => Promise.resolve([]) } }
    for (const [policy, given] of [
      [GROUNDED, ''],
      [CONFIDENT, '{ generationConfidence }'],
    ] as const) {
      const message = `This policy needs answer.judge: answerJudge(${given}) of hono-rag-gate/answers`
      const fault = { code: 'config_invalid', param: 'answer.judge', message }
      expect(() => ragGate({ policy, dependencies })).toThrow(expect.objectContaining(fault))
    }
    expect(() => ragGate({ policy: GROUNDED, dependencies, answer: { judge: answerJudge() } })).not.toThrow()
    expect(() => answerJudge({ generationConfidence: 'guessed' as never })).toThrow(/must be one of reported/)
  })

  it('is rejected when no source of the confidence is named', () => {
    expect(() => aGate({ policy: CONFIDENT })).toThrow(/generationConfidence/)
    expect(() => aGate({ policy: multiGate() })).toThrow(/generationConfidence/)
    expect(() => aGate({ policy: multiGate({ refuseBelowConfidence: 'off' }) })).not.toThrow()
  })

  it.each([
    [{ generationConfidence: 0.6 }, 'passed'],
    [{ generationConfidence: 0.59 }, 'generation_confidence_low'],
    [{ generationConfidence: 0 }, 'generation_confidence_low'],
    [{}, 'generation_confidence_missing'],
    [{ generationConfidence: 'high' }, 'generation_confidence_invalid'],
    [{ generationConfidence: NaN }, 'generation_confidence_invalid'],
    [{ generationConfidence: 1.1 }, 'generation_confidence_invalid'],
    [{ tokenLogProbabilities: [0, 0] }, 'generation_confidence_missing'],
  ])('judges the report %j as %s', async (report, reason) => {
    expect(await (await reporting(report)).json()).toMatchObject({ reason_code: reason })
  })

  it.each([
    [[-0.1, -0.2], 'passed'],
    [[-1, -2], 'generation_confidence_low'],
    [[-0.1, 0.2], 'generation_confidence_invalid'],
    [[], 'generation_confidence_missing'],
  ])('computes a confidence from the log-probabilities %j: %s', async (tokenLogProbabilities, reason) => {
    const response = await reporting({ tokenLogProbabilities, generationConfidence: 1 }, 'token-log-probabilities')
    expect(await response.json()).toMatchObject({ reason_code: reason })
  })
})

describe('an advisory answer', () => {
  it('has its own flag, and is unusable below .5', async () => {
    const asked = journalOf({ policy: advisory({ requiredFields: ['summary'] }), handler: answering(HELD) })
    const body: unknown = await (await asked.ask()).json()
    expect(body).toMatchObject({ answer: HELD, verdict: 'advise', reason_code: 'advisory_unusable', usable: false })
    expect(asked.journal.events[0]?.decision.confidence).toBeLessThan(0.5)
  })

  it('has a caution, which the handler could not know of, unless it has one of its own', async () => {
    for (const [more, caution] of [
      [{}, CAUTION_FOR_READER],
      [{ caution: 'Ask a mechanic.' }, 'Ask a mechanic.'],
    ] as const) {
      const { ask } = journalOf({ policy: advisory(), handler: answering(HELD, more) })
      expect(await (await ask()).json()).toMatchObject({ verdict: 'advise', caution })
    }
  })

  it.each<[string, object, object | undefined, object]>([
    ['its body', { summary: 'red' }, undefined, { missing: [] }],
    ['what was reported', {}, { summary: 'red' }, { missing: [] }],
    ['what was reported in place of its body', { summary: 'red' }, {}, { missing: ['summary'] }],
  ])('is searched for its fields in %s', async (_, more, structured, structure) => {
    const { ask, journal } = journalOf({
      policy: advisory({ requiredFields: ['summary'] }),
      handler: (c) => {
        if (structured) c.var.ragGate.report({ structured })
        return answering(HELD, more)(c)
      },
    })
    await ask()
    expect(journal.events[0]?.decision.answerSignals?.structure).toMatchObject(structure)
  })
})

describe('rules of an application', () => {
  const everything = defineRule({ id: 'cautious', check: () => ({ outcome: 'advise', message: 'Be careful' }) })

  it('refuse and advise beside the policy, strictest first', async () => {
    const { ask, journal } = journalOf({ rules: [everything, refuseTopics(['engine'])] })
    expect(await (await ask()).json()).toMatchObject({ refused: true, reason_code: 'rule_refused' })
    expect(journal.handled).toEqual([])
    expect(journal.events[0]?.decision.findings.map(({ gate }) => gate)).toEqual([
      'confidence-range',
      'rule:cautious',
      'rule:refuse-topics:engine',
    ])
    expect(await (await journalOf({ rules: [everything] }).ask()).json()).toMatchObject({ verdict: 'advise' })
  })

  it('are part of the answer key', async () => {
    const keys = await Promise.all(
      [[], [everything], [refuseTopics(['boats'])], [refuseTopics(['cars'])]].map(async (rules) => {
        const { ask, journal } = journalOf({ rules })
        await ask()
        return journal.stored[0]?.key
      }),
    )
    expect(new Set(keys).size).toBe(4)
  })

  it.each([
    [
      'a rule that throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['a rule with an unknown outcome', () => ({ outcome: 'maybe', message: '' }) as never],
    ['a rule that promises', () => Promise.resolve(null) as never],
  ])('refuse when they cannot judge: %s', async (_, check) => {
    const body: unknown = await (await journalOf({ rules: [defineRule({ id: 'broken', check })] }).ask()).json()
    expect(body).toMatchObject({ refused: true, reason_code: 'rule_failed' })
  })

  it.each([
    [[everything, everything]],
    [[{ id: 'plain', check: () => null }]],
    [[everything, null]],
    ['weather'],
    [null],
  ])('must be made by defineRule and have different ids: %j', (rules) => {
    expect(() => aGate({ rules: rules as unknown as Rule[] })).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        param: 'rules',
        message: expect.stringContaining('different ids'),
      }),
    )
  })
})

describe('disabled gates', () => {
  it('answer every question with a warning, and store no answer', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const policy = withAnswerGates([grounding()], { dangerouslyDisableGates: true })
    const { ask, journal } = journalOf({ policy, finds: [], handler: answering(INVENTED) })
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('DANGEROUS'))
    const response = await ask()
    expect(await response.json()).toMatchObject({ answer: INVENTED, verdict: 'advise', reason_code: 'gate_disabled' })
    expect(response.headers.get('rag-gate')).toContain('reason=gate_disabled')
    const strong = journalOf({ policy, handler: answering(HELD) })
    await strong.ask()
    expect([...journal.stored, ...strong.journal.stored]).toEqual([])
    expect(journal.events[0]?.decision.findings.map(({ code }) => code)).toEqual([
      'gate_disabled',
      'no_evidence',
      'answer_unsupported',
    ])
  })
})
