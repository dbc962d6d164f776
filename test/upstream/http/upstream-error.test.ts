import { describe, expect, test } from 'vitest'
import { errorOfFault, errorOfStatus, indexFull, readJson } from '../../../packages/upstream/src/http/upstream-error.ts'
import { UpstreamFault, type UpstreamFaultKind } from '../../../packages/upstream/src/http/upstream-fault.ts'

const MODEL = { role: 'llm', what: 'The model' } as const
const INDEX = { role: 'retriever', what: 'The index' } as const

describe('the error of an upstream', () => {
  test.each<[UpstreamFaultKind, string, string]>([
    ['timeout', 'llm_timeout', 'The model did not answer in time'],
    ['late', 'llm_timeout', 'The model did not answer in time'],
    ['aborted', 'llm_timeout', 'The model did not answer in time'],
    ['network', 'llm_unavailable', 'The model cannot be reached'],
    ['unavailable', 'llm_unavailable', 'The model cannot answer now'],
    ['circuit-open', 'llm_unavailable', 'The model failed too often'],
    ['redirect', 'llm_bad_response', 'The model sent an unexpected response: redirect'],
    ['too-large', 'llm_bad_response', 'The model sent an unexpected response: too-large'],
    ['not-utf8', 'llm_bad_response', 'The model sent an unexpected response: not-utf8'],
  ])('for the fault %s is %s', (kind, code, message) => {
    const cause = new UpstreamFault(kind, { status: 503, retryAfterSeconds: 7 })
    const facts = { code, message, cause, upstreamStatus: 503, retryAfterSeconds: 7 }
    expect(errorOfFault(MODEL, cause)).toMatchObject(facts)
  })

  test('for anything else is that itself', () => {
    const thrown = new Error('x')
    expect(errorOfFault(MODEL, thrown)).toBe(thrown)
  })

  test.each([
    [MODEL, 400, 'llm_bad_request', 'The model rejected the request: status 400'],
    [MODEL, 499, 'llm_bad_request', 'The model rejected the request: status 499'],
    [MODEL, 401, 'llm_misconfigured', 'The model does not accept the credentials'],
    [MODEL, 204, 'llm_bad_response', 'The model sent an unexpected response: status 204'],
    [MODEL, 500, 'llm_bad_response', 'The model sent an unexpected response: status 500'],
    [MODEL, 507, 'llm_bad_response', 'The model sent an unexpected response: status 507'],
    [INDEX, 400, 'retriever_bad_response', 'The index sent an unexpected response: status 400'],
    [INDEX, 402, 'retriever_misconfigured', 'The index does not accept the credentials'],
    [INDEX, 403, 'retriever_misconfigured', 'The index does not accept the credentials'],
    [INDEX, 404, 'retriever_misconfigured', 'The index is not there'],
    [INDEX, 405, 'retriever_misconfigured', 'The index is not there'],
    [INDEX, 410, 'retriever_misconfigured', 'The index is not there'],
    [INDEX, 507, 'index_full', 'The index is full'],
  ])('%j for the status %i is %s', (name, upstreamStatus, code, message) => {
    expect(errorOfStatus(name, upstreamStatus)).toMatchObject({ code, message, upstreamStatus })
  })

  test('of a full index takes its facts, or has none', () => {
    expect(indexFull()).toMatchObject({ code: 'index_full', message: 'The index is full' })
    expect(indexFull({ upstreamStatus: 507 })).toMatchObject({ upstreamStatus: 507 })
  })

  test('for invalid JSON does not quote it', () => {
    expect(readJson(INDEX, '[1]')).toEqual([1])
    const message = 'The index sent an unexpected response: not JSON'
    expect(() => readJson(INDEX, 'secret')).toThrow(
      expect.objectContaining({ code: 'retriever_bad_response', message }),
    )
  })
})
