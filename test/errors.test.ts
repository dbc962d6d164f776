import { describe, expect, it } from 'vitest'
import { errorForLog, errorKind, RagGateError } from '../src/errors.ts'
import { UpstreamFault } from '../packages/upstream/src/http/upstream-fault.ts'
import { faultHere } from './fixtures/fault-here.ts'

const SECRET = 'sk-canary-0123456789'

describe('an error in the log', () => {
  it("has its code, the request id, the status and the gate's own message", () => {
    const error = new RagGateError('llm_bad_request', 'The model did not take it', { upstreamStatus: 400 })
    expect(errorForLog(error, 'r-1')).toBe('llm_bad_request request_id=r-1 status=400 "The model did not take it"')
    expect(errorForLog(error)).toBe('llm_bad_request status=400 "The model did not take it"')
  })

  it('names the kinds of its causes, and the system code of a connection that failed', () => {
    const socket = Object.assign(new Error(`connect ${SECRET}`), { code: 'ECONNREFUSED' })
    const cause = new UpstreamFault('network', { thrown: new TypeError('fetch failed', { cause: socket }) })
    const line = errorForLog(new RagGateError('llm_unavailable', 'The model cannot be reached', { cause }))
    expect(line).toContain('llm_unavailable "The model cannot be reached" < UpstreamFault ECONNREFUSED at ')
  })

  it('names where an unexpected error was thrown, without its message', () => {
    const line = errorForLog(faultHere(`${SECRET} is not a function`), 'r-2')
    expect(line).toMatch(/^TypeError request_id=r-2 at .*fault-here\.ts:\d+:\d+/)
    expect(line).not.toContain(SECRET)
  })

  it.each<[string, unknown]>([
    ['a message of several lines', new Error(`x\n    at ${SECRET} (/a.js:1:1)\ny`)],
    ['a changed stack', Object.assign(new Error('short'), { stack: `Error: ${SECRET}\n${SECRET} at x` })],
    ['a name', Object.assign(new Error('x'), { name: SECRET })],
    ['a code', Object.assign(new Error('x'), { code: SECRET })],
    ['a string', SECRET],
    ['an object', { message: SECRET, cause: SECRET }],
    ['a cause that is a string', new Error('x', { cause: SECRET })],
    ['a chain of causes', new Error('x', { cause: new Error(SECRET, { cause: { key: SECRET } }) })],
    ['an aggregate', new AggregateError([new Error(SECRET)], SECRET)],
    ['a RagGateError with such a cause', new RagGateError('internal', 'It failed', { cause: new Error(SECRET) })],
  ])('contains nothing of %s', (_, thrown) => {
    const line = errorForLog(thrown)
    expect(line).not.toContain('canary')
    expect(line).not.toMatch(/[\r\n]/)
    expect(errorKind(thrown)).not.toContain('canary')
  })

  it('stays on one short line, with any message and parameter', () => {
    const error = new RagGateError('too_deep', `a\r\n[rag-gate] forged\u001b[31m\u2028${'x'.repeat(1000)}`, {
      param: 'p\nq',
    })
    const line = errorForLog(error)
    expect(line).not.toMatch(/[\p{Cc}\u2028]/u)
    expect(line.length).toBeLessThan(400)
    expect(line).toContain('param=p q')
  })

  it('ends when causes form a circle', () => {
    const a = new Error('a')
    const b = new Error('b', { cause: a })
    a.cause = b
    expect(errorForLog(b).split(' < ')).toHaveLength(5)
  })
})
