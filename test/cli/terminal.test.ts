import { describe, expect, it } from 'vitest'
import { jsonText, oneLine, printable, progressOn, terminalOn, wantsColours } from '../../packages/cli/src/terminal.ts'

const HOSTILE: readonly (readonly [string, string, string])[] = [
  ['colours', '\u001b[31mred\u001b[0m', 'red'],
  ['moves of the cursor', 'a\u001b[2K\u001b[1Ab', 'ab'],
  ['names of a window', 'a\u001b]0;title\u0007b', 'ab'],
  ['returns, backspaces and bells', 'safe\r\b\u0007evil', 'safeevil'],
  ['the eight-bit forms', 'a\u009b31mb\u0085c', 'abc'],
  ['a lone escape', 'a\u001b', 'a'],
  ['turns of the reading direction', 'report\u202Efdp.exe\u202c \u2066x\u2069\u200f\u061c', 'reportfdp.exe x'],
  ['words in invisible characters', `a\u200b\u2060\ufeff${String.fromCodePoint(0xe0041, 0xe007f)}b`, 'ab'],
  ['line ends of other kinds', 'a\u2028b\u2029c', 'abc'],
]

describe('printable', () => {
  it.each(HOSTILE)('removes %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  it('keeps lines, tabs, every script and joined emoji', () => {
    const text = 'a\tb\nčß 東京 🔑 👩‍💻 می‌خواهم שלום'
    expect(printable(text)).toBe(text)
  })
})

describe('jsonText', () => {
  it.each(HOSTILE)('escapes %s without losing anything', (_, text) => {
    const json = jsonText({ text })
    expect(printable(json)).toBe(json)
    expect(JSON.parse(json)).toEqual({ text })
  })
})

describe('oneLine', () => {
  it('does not let a name look like a line of its own', () => {
    expect(oneLine('a.md\n📊 RAG Confidence: ✓ HIGH')).toBe('a.md 📊 RAG Confidence: ✓ HIGH')
  })
})

describe('colours', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [undefined, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('on a terminal: %j, with %j, are used: %j', (isTTY, env, coloured) => {
    expect(wantsColours({ ...(isTTY === undefined ? {} : { isTTY }), write: () => undefined }, env)).toBe(coloured)
  })

  it('are put around escaped text, for each stream separately', () => {
    let out = ''
    let notes = ''
    const terminal = terminalOn({
      stdout: { isTTY: true, write: (text) => (out += text) },
      stderr: { isTTY: false, write: (text) => (notes += text) },
      env: {},
    })
    terminal.out('a ', { text: 'gr\u001b[31meen\u202e', colour: 'green' })
    terminal.note({ text: 'plain', colour: 'red' })
    expect(out).toBe('a \u001b[32mgreen\u001b[0m\n')
    expect(notes).toBe('plain\n')
  })
})

describe('progressOn', () => {
  const watched = (columns?: number) => {
    const pieces: string[] = []
    let nowMs = 0
    const output = {
      isTTY: true,
      write: (text: string) => pieces.push(text),
      ...(columns === undefined ? {} : { columns }),
    }
    return { pieces, progress: progressOn(output, () => nowMs), pass: (ms: number) => (nowMs += ms) }
  }

  it('redraws a progress bar in place, and clears the line at the end', () => {
    const { pieces, progress } = watched()
    progress.show(1, 4, 'a\u001b[2J.md')
    progress.show(0, 0, 'nothing to do')
    progress.end()
    expect(pieces[0]).toBe(`\r\u001b[K${'█'.repeat(6)}${'░'.repeat(18)}  25 %  a.md`)
    expect(pieces[1]).toContain('100 %')
    expect(pieces[2]).toBe('\r\u001b[K')
  })

  it('stays within a narrow terminal', () => {
    const { pieces, progress } = watched(30)
    progress.show(1, 4, 'a long name of a document')
    expect(pieces[0]).toHaveLength('\r\u001b[K'.length + 29)
  })

  it('estimates the remaining time once there is enough to estimate from', () => {
    const { pieces, progress, pass } = watched()
    progress.show(0, 100, 'x')
    pass(1000)
    progress.show(10, 100, 'x')
    pass(9000)
    progress.show(50, 100, 'x')
    pass(600_000)
    progress.show(51, 100, 'x')
    expect(pieces.map((piece) => /about .+ left/.exec(piece)?.[0])).toEqual([
      undefined,
      undefined,
      'about 10 s left',
      'about 10 min left',
    ])
  })

  it('writes a line from time to time to a log, and nothing for a short run', () => {
    const pieces: string[] = []
    let nowMs = 0
    const progress = progressOn({ write: (text) => pieces.push(text) }, () => nowMs)
    progress.show(1, 10, 'one')
    nowMs = 11_000
    progress.show(5, 10, 'five')
    nowMs = 12_000
    progress.show(6, 10, 'six')
    progress.end()
    expect(pieces).toEqual(['50 %  five\n'])
  })
})
