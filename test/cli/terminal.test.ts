import { describe, expect, it } from 'vitest'
import { printable, progressOn } from '../../src/cli/terminal.ts'

describe('printable', () => {
  it.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['moves of the cursor', 'a\u001b[2K\u001b[1Ab', 'ab'],
    ['names of a window', 'a\u001b]0;title\u0007b', 'ab'],
    ['returns, backspaces and bells', 'safe\r\b\u0007evil', 'safeevil'],
    ['the eight-bit forms', 'a\u009b31mb\u0085c', 'abc'],
    ['a lone escape', 'a\u001b', 'a'],
  ])('takes out %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  it('leaves lines, tabs and every script alone', () => {
    expect(printable('a\tb\nčß 東京 🔑')).toBe('a\tb\nčß 東京 🔑')
  })
})

describe('progressOn', () => {
  it('draws a bar over itself, with a label that draws nothing', () => {
    let drawn = ''
    const progress = progressOn({ isTTY: true, columns: 60, write: (text) => (drawn += text) })
    progress.show(1, 2, 'a\u001b[2J.md')
    expect(drawn).toBe(`\r\u001b[K${'█'.repeat(12)}${'░'.repeat(12)}  50 %  a.md`)
    progress.end()
    expect(drawn.endsWith('\r\u001b[K')).toBe(true)
  })

  it('is silent where nobody watches', () => {
    let drawn = ''
    progressOn({ write: (text) => (drawn += text) }).show(1, 2, 'a.md')
    expect(drawn).toBe('')
  })
})
