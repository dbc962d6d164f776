import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { checkNames } from '../../packages/console/src/api/check-names.ts'

/** The message for a query, or '' if it is allowed. */
async function messageFor(query: string, ...names: readonly (readonly string[])[]): Promise<string> {
  const app = new Hono()
  app.get('/', (c) => {
    checkNames(c, names[0]!, names[1])
    return c.text('')
  })
  app.onError((error, c) => c.text(error.message))
  return (await app.request(`/${query}`)).text()
}

describe('checkNames', () => {
  it.each([
    ['names the parameters that a route has', ['limit', 'cursor'], undefined, 'known are: limit, cursor, tenant'],
    ['names the one that every route has', [], undefined, 'known are: tenant'],
    ['says that there are none', [], [], 'known are: none'],
  ])('%s', async (_, allowed, always, end) => {
    const names = always === undefined ? [allowed] : [allowed, always]
    expect(await messageFor('?nonsense=1', ...names)).toBe(`There is no such parameter; ${end}`)
  })

  it('rejects a parameter that is given twice', async () => {
    expect(await messageFor('?limit=1&limit=2', ['limit'])).toBe('limit is given twice')
  })

  it('accepts known parameters', async () => {
    expect(await messageFor('?limit=1&tenant=acme', ['limit'])).toBe('')
  })
})
