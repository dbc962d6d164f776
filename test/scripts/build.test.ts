import { describe, expect, it } from 'vitest'
import { withLinksThatHold } from '../../scripts/build.ts'

const PAGE = '![Way](docs/way.svg) See [the docs](docs/a.md#b), [below](#below) and [Hono](https://hono.dev).'

describe('the README of a tarball', () => {
  it('links to the repository if that is configured', () => {
    const repository = { url: 'git+https://git.test/us/gate.git' }
    expect(withLinksThatHold(PAGE, 'packages/x', repository)).toBe(
      '![Way](https://git.test/us/gate/raw/main/packages/x/docs/way.svg) ' +
        'See [the docs](https://git.test/us/gate/blob/main/packages/x/docs/a.md#b), [below](#below) and [Hono](https://hono.dev).',
    )
  })

  it('has no broken link if it is not', () => {
    expect(withLinksThatHold(PAGE, '.')).toBe(' See the docs, [below](#below) and [Hono](https://hono.dev).')
  })
})
