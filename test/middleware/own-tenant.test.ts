import { describe, expect, it } from 'vitest'
import { withoutOwnTenant } from '../../src/middleware/own-tenant.ts'

describe('the members of a body', () => {
  it("are returned without the caller's own tenant", () => {
    expect(withoutOwnTenant({ text: 'a', tenant: 'acme' }, 'acme')).toEqual({ text: 'a' })
    expect(withoutOwnTenant({ text: 'a' }, 'acme')).toEqual({ text: 'a' })
  })

  it.each<[object, string | undefined, string]>([
    [{ tenant: 'globex' }, undefined, 'tenant'],
    [{ tenant: undefined }, undefined, 'tenant'],
    [{ tenant: 'globex', namespace: 'n' }, undefined, 'tenant'],
    [{ tenant: 'acme', namespace: 'n' }, undefined, 'namespace'],
    [{ namespace: undefined }, 'documents[2]', 'documents[2].namespace'],
    [{ tenant: 'globex' }, 'documents[2]', 'documents[2].tenant'],
  ])('that name another tenant or a namespace are an error with their place: %j', (members, at, param) => {
    expect(() => withoutOwnTenant({ ...members }, 'acme', at)).toThrow(
      expect.objectContaining({
        code: 'tenant_mismatch',
        message: 'A request reaches only its own tenant',
        param,
      }),
    )
  })
})
