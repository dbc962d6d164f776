import { describe, expect, it } from 'vitest'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { alertBoundsOf } from '../../../workers/gate/statistics/alert-bounds.ts'

// Other bindings are not looked at.
const boundsOf = (vars: Readonly<Record<string, string>>) => alertBoundsOf(vars as unknown as GateBindings)

describe('the bounds of alerts', () => {
  it('are read from their four variables only', () => {
    expect(boundsOf({})).toEqual({})
    expect(
      boundsOf({
        ALERT_REFUSED_AT_MOST: '0.4',
        ALERT_REFUSED_AT_LEAST: '0',
        ALERT_PASSED_AT_LEAST: '1',
        ALERT_DRIFT_AT_MOST: '1.5',
        ALERT_WEBHOOK_URL: 'https://hooks.test',
      }),
    ).toEqual({ refusedAtMost: 0.4, refusedAtLeast: 0, passedAtLeast: 1, driftAtMost: 1.5 })
  })
})
