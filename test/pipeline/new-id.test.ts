import { describe, expect, it } from 'vitest'
import { newId } from '../../src/pipeline/new-id.ts'

describe('newId', () => {
  it("is a UUIDv7 of the clock's time, and never repeats", () => {
    const clock = { nowMs: () => 0x017f22e279b0 }
    const made = Array.from({ length: 100 }, () => newId(clock))
    for (const id of made) expect(id).toMatch(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab]/)
    expect(new Set(made).size).toBe(100)
  })
})
