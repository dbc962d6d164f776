import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createMarkdownSplitter,
  type MarkdownSplitterOptions,
} from '../../../packages/ingest/src/markdown/markdown-splitter.ts'
import type { HtmlInBlocks } from '../../../packages/ingest/src/markdown/html-within.ts'
import { growth, PROPORTION } from '../../growth.ts'
import { examples } from '../../properties.ts'

/** Parts of a text; without overlap where a test does not speak of it. */
const splitting = (options: MarkdownSplitterOptions = {}) => {
  const splitter = createMarkdownSplitter({ overlapCharacters: 0, ...options })
  return { split: async (text: string, format: 'markdown' | 'text') => (await splitter.split(text, format)).parts }
}
const splitter = splitting()
const words = (count: number, word = 'word'): string =>
  Array.from({ length: count }, (_, at) => `${word}${at}`).join(' ')

describe('createMarkdownSplitter over Markdown', () => {
  it('keeps the blocks of a section together under its heading, with the path of headings above', async () => {
    const text = '# Guide\n\nIntro.\n\n## Start\n\nTurn the key.\n\n- one\n- two\n\n## Stop\n\nTurn it back.'
    expect(await splitter.split(text, 'markdown')).toEqual([
      { text: 'Guide\n\nIntro.', section: 'Guide' },
      { text: 'Start\n\nTurn the key.\n\n- one\n- two', section: 'Guide › Start' },
      { text: 'Stop\n\nTurn it back.', section: 'Guide › Stop' },
    ])
  })

  it.each(['- ', '> ', '>', '1. ', '> - '])('rejects nesting of a thousand levels: %j', async (marker) => {
    const deep = `Text.\n\n${marker.repeat(1000)}a`
    await expect(splitter.split(deep, 'markdown')).rejects.toThrow(expect.objectContaining({ code: 'too_deep' }))
    expect((await splitter.split(deep, 'text')).length).toBeGreaterThan(0)
    expect(await splitter.split(`${marker.repeat(9)}a`, 'markdown')).toHaveLength(1)
  })

  it('has no section before the first heading', async () => {
    expect(await splitter.split('Alone.', 'markdown')).toEqual([{ text: 'Alone.' }])
  })

  it('ends a deeper section at a heading of its own level or above', async () => {
    const parts = await splitter.split('# A\n\n### C\n\nx\n\n## B\n\ny\n\n# D\n\nz', 'markdown')
    expect(parts.map(({ section }) => section)).toEqual(['A › C', 'A › B', 'D'])
  })

  it('keeps tables, lists and code as written', async () => {
    const code = '```ts\nconst a = 1\n\nconst b = "<b>"\n```'
    expect(await splitter.split(code, 'markdown')).toEqual([{ text: code }])
  })

  it('omits comments, rules and link definitions', async () => {
    expect(await splitter.split('<!-- secret -->\n\nSeen.\n\n---\n\n[a]: https://example.com', 'markdown')).toEqual([
      { text: 'Seen.' },
    ])
  })

  it('returns no part for a text without content', async () => {
    for (const text of ['', ' \n\n ', '# Heading only', '<!-- a\n\nb -->'])
      expect(await splitter.split(text, 'markdown')).toEqual([])
  })

  it('keeps headings with nothing below them, as text of the section around them', async () => {
    const hours =
      '# Shop\n\n## Hours\n\n### Monday 9 to 17\n\n### Friday 9 to 12\n\n## Contact\n\nBy mail.\n\n## Closed in May'
    expect(await splitter.split(hours, 'markdown')).toEqual([
      { section: 'Shop › Hours', text: expect.stringMatching(/Monday 9 to 17\s+Friday 9 to 12/) },
      { section: 'Shop › Contact', text: expect.stringContaining('By mail.') },
      { section: 'Shop', text: expect.stringContaining('Closed in May') },
    ])
  })

  it('reads the words of a title, also of links that are defined', async () => {
    const titles = async (text: string) => (await splitter.split(text, 'markdown')).map(({ section }) => section)
    expect(await titles('## [1.2] - May ##\n\nx\n\n[1.2]: https://example.com')).toEqual(['1.2 - May'])
    expect(await titles('## [1.2] - May\n\nx')).toEqual(['[1.2] - May'])
    expect(await titles('#\n\nx')).toEqual([undefined])
    expect(await titles('Two\n*lines*\n---\nx')).toEqual(['Two lines'])
    expect(await titles('# Plain #\n\nx')).toEqual(['Plain'])
    expect(await titles('# C#\n\nx')).toEqual(['C#'])
  })

  it.each([
    ['# Install {#install}', 'Install'],
    ['# Install {: #install .wide data-label="x"}', 'Install'],
    ['# {#each}', '{#each}'],
    ['# Use `{#each}`', 'Use {#each}'],
    ['# Objects {a: 1}', 'Objects {a: 1}'],
  ])('removes the anchor at the end of %j', async (heading, section) => {
    expect(await splitter.split(`${heading}\n\nText.`, 'markdown')).toEqual([{ section, text: `${section}\n\nText.` }])
  })

  it('drops the anchors that begin a line', async () => {
    const text =
      '# Reply\n<a id="reply"></a>\n\n<a name=code></a>Sets the `code`.\n<span id="x"></span>\nSee `<a id="y"></a>`.'
    expect(await splitter.split(`${text}\n\n\`\`\`html\n<a id="z"></a>\n\`\`\``, 'markdown')).toEqual([
      { section: 'Reply', text: 'Reply\n\nSets the `code`.\n\nSee `<a id="y"></a>`.\n\n```html\n<a id="z"></a>\n```' },
    ])
  })

  it.each([
    ['Intro.\n\n# The `key` *turns* {#key}\n\nx\n\n# Next', 'The key turns'],
    ['The key\n=======\n\nx', 'The key'],
    ['#\n\n## No title\n\nx', undefined],
    ['#\n\n# C#\n\nx', 'C#'],
    ['```sh\n# a comment\n```', undefined],
  ])('is titled by its first heading of level 1: %j', async (text, title) => {
    const split = await createMarkdownSplitter().split(text, 'markdown')
    expect(split.title).toBe(title)
    expect('title' in split).toBe(title !== undefined)
  })

  it('removes markup from a heading', async () => {
    expect((await splitter.split('# The `key` *turns*\n\nx', 'markdown'))[0]?.section).toBe('The key turns')
  })
})

describe('a heading', () => {
  it('as long as a paragraph is text, and not repeated with every part below it', async () => {
    const long = `${'word '.repeat(80)}end`
    expect(await splitter.split(`# H\n\n## ${long}\n\nx`, 'markdown')).toEqual([
      { text: `H\n\n${long}\n\nx`, section: 'H' },
    ])
    const endless = `# ${'*a_ '.repeat(400_000)}\n\n${'x\n\n'.repeat(1000)}`
    const parts = await splitter.split(endless, 'markdown')
    expect(parts.reduce((sum, { text, section = '' }) => sum + text.length + section.length, 0)).toBeLessThan(
      endless.length + 1000,
    )
  })
})

describe('overlap', () => {
  it('leaves room for what follows, and takes no more than half of what a heading leaves', async () => {
    const texts = async (text: string): Promise<string[]> =>
      (await createMarkdownSplitter({ maxCharacters: 40, overlapCharacters: 20 }).split(text, 'markdown')).parts.map(
        (part) => part.text,
      )
    expect(await texts('Aaaa bbbb. Cccc dddd. Eeee ffff gggg hhhh iiii jjjj.')).toEqual([
      'Aaaa bbbb. Cccc dddd.',
      'Eeee ffff gggg hhhh iiii jjjj.',
    ])
    expect(await texts('# Hhhh hhhh\n\nAaaa bbbb. Cccc dddd eee. Eeee ffff.')).toEqual([
      'Hhhh hhhh\n\nAaaa bbbb. Cccc dddd eee.',
      'Hhhh hhhh\n\nCccc dddd eee. Eeee ffff.',
    ])
  })
})

describe('what titles a block', () => {
  const texts = async (text: string, maxCharacters: number): Promise<string[]> =>
    (await splitting({ maxCharacters }).split(text, 'markdown')).map((part) => part.text)

  it.each([
    ['a line in bold', 'aaaa bbbb\n\n**c**\n\ndddd eeee', ['aaaa bbbb', '**c**\n\ndddd eeee']],
    ['lines in bold', 'aaaa\n\n**b**\n\n**c**\n\ndddd', ['aaaa', '**b**\n\n**c**\n\ndddd']],
    ['a line below a heading', '# A\n\nbbbb\n\n**c**\n\ndddd eee', ['A\n\nbbbb', 'A\n\n**c**\n\ndddd eee']],
    ['no line in another section', 'aaaa\n\n**b**\n\n# C\n\ndddd eeee', ['aaaa\n\n**b**', 'C\n\ndddd eeee']],
    ['no line that does not fit', 'aaaa\n\n**b**\n\ncccc dddd eeee f', ['aaaa\n\n**b**', 'cccc dddd eeee f']],
    ['no line of one block', 'aaaa\n**b**\n\ncccc dddd eeee', ['aaaa\n**b**', 'cccc dddd eeee']],
    ['no bold word', 'aaaa\n\n**b** c\n\ndddd eeee', ['aaaa\n\n**b** c', 'dddd eeee']],
  ])('stays with it: %s', async (_what, text, parts) => {
    expect(await texts(text, 18)).toEqual(parts)
  })

  it('is the number of an item', async () => {
    expect(await texts('1. Aaaa bbbb.\n2. Cccc dddd.\n10) Eeee.', 18)).toEqual([
      '1. Aaaa bbbb.',
      '2. Cccc dddd.',
      '10) Eeee.',
    ])
    expect(await texts('1. Aaaa bbbb cccc.\n2.', 18)).toEqual(['1. Aaaa bbbb cccc.', '2.'])
  })
})

describe('the work for Markdown', () => {
  const nested = (depth: number) => Array.from({ length: depth }, (_, at) => `${'  '.repeat(at)}- a\n`).join('')

  it.each([
    ['paragraphs', (n: number) => 'a b\n\n'.repeat(n)],
    ['lazy lines of quotes', (n: number) => `${'> '.repeat(25)}a\n${'a\n'.repeat(n)}`],
    ['quotes in quotes', (n: number) => `${'> '.repeat(25)}a\n`.repeat(n)],
    ['lists in lists', (n: number) => nested(13).repeat(n / 10)],
    ['blank lines of nested lists', (n: number) => nested(13) + '\n'.repeat(n)],
    ['headings', (n: number) => '# a\nb\n'.repeat(n)],
    ['definitions', (n: number) => '[a]: b\n'.repeat(n)],
    ['comments in a line', (n: number) => 'a <!-- b -->\n\n'.repeat(n)],
    ['beginnings of definitions', (n: number) => '[a\n'.repeat(n)],
  ])('grows at most linearly with the length, for %s', async (_what, of) => {
    const workOf = async (n: number) => (await createMarkdownSplitter().split(of(n), 'markdown')).work ?? 0
    const [small, large] = [await workOf(500), await workOf(4000)]
    expect(large).toBeGreaterThan(small)
    expect(large / small).toBeLessThan(8.5)
  })

  it('is limited', async () => {
    const bomb = `${'> '.repeat(25)}a\n${'a\n'.repeat(200)}\n`.repeat(800)
    await expect(splitter.split(bomb, 'markdown')).rejects.toThrow(
      expect.objectContaining({
        code: 'document_too_complex',
        message: expect.stringContaining('too many lines') as string,
      }),
    )
  })
})

describe('the time for Markdown', () => {
  const nested = (depth: number) => Array.from({ length: depth }, (_, at) => `${'  '.repeat(at)}- a\n`).join('')

  // With another parser two megabytes of each took from ten seconds to hours.
  it.each([
    ['underlined headings', 'a\n=\n'],
    ['nested lists', nested(3)],
    ['deeply nested lists', nested(15)],
    ['nested marks', `${'- '.repeat(90)}a\n`],
    ['a flat list', '- item\n'],
    // Twice as many take the parser eight times as long, once: on either side of that it is in proportion.
    ['lazy lines', 'a\n', `${'> '.repeat(25)}a\n`, 24_000],
    ['emphasis', '_a_ b_ '],
    ['lists in quotes', '> - > - a\n'],
    ['blank lines of nested lists', '\n', nested(99)],
    ['headings with mark-up', '# `a`\nb\n'],
    ['long headings', `# ${'*a_ '.repeat(240)}\nb\n`],
    ['unfinished links', '[a](<b '],
    ['unfinished comments', 'a <!-- '],
    ['comments', 'a <!-- b --> '],
    ['unfinished tags beside a comment', '<a "', '<!-- --> a '],
    ['tags in quotes of each other', `<a "' `, '<!-- --> a '],
    ['tags that end late', `<a b="'" c='"' `, '<!-- --> <a '],
    ['unfinished instructions', '<? <!a <![CDATA[ ', '<!-- --> a '],
    ['runs of backticks beside a comment', '`` ` ``` ', 'a <!-- --> '],
    ['fences beside a comment', '  ~~~\n', '- <!-- -->\n'],
    ['definitions', '[a]: b\n', 'Text.\n\n'],
    ['lines with bars', 'a | b\n| - '],
    ['short sentences', 'A. '],
  ])('is linear for %s', async (_what, unit, before = '', length = 48_000) => {
    const split = async (text: string): Promise<void> => {
      try {
        await splitter.split(`${before}${text}`, 'markdown')
      } catch (thrown) {
        // More than can be held, or deeper than is read: said as soon as it is seen.
        expect(thrown).toMatchObject({ code: expect.stringMatching(/^(?:document_too_complex|too_deep)$/) })
      }
    }
    expect(await growth(split, unit, length)).toBeLessThan(PROPORTION)
  })

  it.each(['`', '~'])('is linear for a document of nothing but %s', async (unit) => {
    for (const format of ['markdown', 'text'] as const)
      // What makes each text another stands before it.
      expect(await growth((text) => splitter.split(text.slice(1), format), unit, 32_000)).toBeLessThan(PROPORTION)
  })

  it('is short for a large manual, whose sections are found', async () => {
    let manual = ''
    for (let at = 0; manual.length < 1_990_000; at++) {
      manual += `## Section \`${at}\` of [the manual][m]\n\n${'The *pump* must run before [the valve](x) opens. '.repeat(8)}\n\n`
      manual +=
        '- First this\n  - then that\n- Stop\n\n| Part | Count |\n|--|--|\n| Valve | 2 |\n\n```sh\n# run\n\nstop\n```\n\n'
    }
    const parts = await splitter.split(`${manual}\n[m]: https://example.com`, 'markdown')
    expect(parts.length).toBeGreaterThan(3000)
    expect(parts[5]?.section).toBe('Section 5 of the manual')
    expect(parts[5]?.text).toContain('- First this\n  - then that\n- Stop\n\n| Part | Count |')
  }, 15_000)
})

describe('createMarkdownSplitter over plain text', () => {
  it('packs paragraphs together, and parses no Markdown', async () => {
    expect(await splitter.split('# no heading\n\nsecond', 'text')).toEqual([{ text: '# no heading\n\nsecond' }])
  })

  it.each(['\r\n', '\r'])('reads line ends of other systems: %j', async (end) => {
    const split = (text: string) => splitting({ maxCharacters: 60 }).split(text, 'text')
    const table = `| Part | Count |\n|--|--|\n${'| Valve | 2 |\n'.repeat(6)}\n \nTwo\nlines.`
    expect(await split(table.replaceAll('\n', end))).toEqual(await split(table))
    expect((await split(table))[1]?.text).toMatch(/^\| Part \| Count \|\n/)
  })
})

describe('the limit of a part', () => {
  it('starts a new part when the next block does not fit', async () => {
    const small = splitting({ maxCharacters: 60 })
    const [one, two, three] = [words(5), words(4, 'x'), words(6, 'other')]
    expect((await small.split([one, two, three].join('\n\n'), 'text')).map(({ text }) => text)).toEqual([
      `${one}\n\n${two}`,
      three,
    ])
  })

  it('splits a block that is too long between sentences, or else between words', async () => {
    const small = splitting({ maxCharacters: 40 })
    const texts = async (text: string) => (await small.split(text, 'text')).map((part) => part.text)
    expect(await texts('First sentence here. Second sentence here. Third.')).toEqual([
      'First sentence here.',
      'Second sentence here. Third.',
    ])
    expect(await texts(words(12))).toEqual([
      'word0 word1 word2 word3 word4 word5',
      'word6 word7 word8 word9 word10 word11',
    ])
  })

  it.each(['\n', '\t', '\u00a0', '\u3000'])('splits between words with %j between them', async (gap) => {
    const text = words(12).replaceAll(' ', gap)
    const parts = await splitting({ maxCharacters: 40 }).split(text, 'text')
    expect(parts.map((part) => part.text.replaceAll(gap, ' ')).join(' ')).toBe(words(12))
    expect(parts.length).toBeGreaterThan(1)
  })

  it('fills a part to its last character', async () => {
    const texts = async (text: string, max: number) =>
      (await splitting({ maxCharacters: max }).split(text, 'markdown')).map((part) => part.text)
    // Parts of two blocks, a block, words, and a head.
    expect(await texts('aaaa\n\nbbbb', 10)).toEqual(['aaaa\n\nbbbb'])
    expect(await texts('aaaaa\n\nbbbb', 10)).toEqual(['aaaaa', 'bbbb'])
    expect(await texts('A. B c def', 10)).toEqual(['A. B c def'])
    expect(await texts('aaaa bbbbb cccc  dddd', 10)).toEqual(['aaaa bbbbb', 'cccc  dddd'])
    expect(await texts('aaaaa bbbbbbbbb', 10)).toEqual(['aaaaa bbbb', 'bbbbb'])
    expect(await texts('aaaaaa bbbbbbbbb', 10)).toEqual(['aaaaaa', 'bbbbbbbbb'])
    expect(await texts('aaaaaaaaaaaa', 10)).toEqual(['aaaaaaaaaa', 'aa'])
    expect(await texts('aaaaaaaaa😀aa', 10)).toEqual(['aaaaaaaaa', '😀aa'])
    expect(await texts('aaaaaaaa😀aa', 10)).toEqual(['aaaaaaaa😀', 'aa'])
    expect(await texts('```\na\nbbbbb\nccccc\n```', 16)).toEqual(['```\na\nbbbbb\n```', '```\nccccc\n```'])
    expect(await texts('```\naaaa\nbbb\n```', 15)).toEqual(['```\naaaa\nbbb', '```'])
    // A head or heading that takes more than half is not repeated.
    expect(await texts('````\naaa bbbb\n````', 18)).toEqual(['````\naaa bbbb\n````'])
    expect(await texts('````\naaa bbb ccc\n````', 19)).toEqual(['````\naaa bbb ccc', '````'])
    expect(await texts('````\naaa bbb ccc\n````', 20)).toEqual(['````\naaa bbb\n````', '````\nccc\n````'])
    expect(await texts('# abc\n\naaaaaa bbb', 10)).toEqual(['abc\n\naaaaa', 'abc\n\na bbb'])
    expect(await texts('# abcd\n\naaaaaa bbb', 10)).toEqual(['aaaaaa bbb'])
  })

  it('keeps the lines of a list that is split', async () => {
    const small = splitting({ maxCharacters: 50, overlapCharacters: 0 })
    const parts = await small.split('- One is first. It is.\n  - Two is\n    second.\n\n- Three is third.', 'markdown')
    expect(parts.map(({ text }) => text)).toEqual([
      '- One is first. It is.\n  - Two is\n    second.',
      '- Three is third.',
    ])
  })

  it('repeats the fence of code and the head of a table in each piece, and splits them between lines', async () => {
    const texts = async (text: string, max: number) =>
      (await splitting({ maxCharacters: max }).split(text, 'markdown')).map((part) => part.text)
    expect(await texts('```ts title="a.ts"\nif (a) {\n  b. C()\n\n  d. E()\n}\n```', 48)).toEqual([
      '```ts title="a.ts"\nif (a) {\n  b. C()\n```',
      '```ts title="a.ts"\n  d. E()\n}\n```',
    ])
    expect(await texts('| Name | Type |\n|:--|--|\n| One. It | a |\n| Two | b |\n| Three | c |', 52)).toEqual([
      '| Name | Type |\n|:--|--|\n| One. It | a |\n| Two | b |',
      '| Name | Type |\n|:--|--|\n| Three | c |',
    ])
    expect(await texts('Name | Type\n---|---\nOne | the first\nTwo | the second', 42)).toEqual([
      'Name | Type\n---|---\nOne | the first',
      'Name | Type\n---|---\nTwo | the second',
    ])
    expect(await texts('Options:\n| Name | Type |\n|:--|--|\n| One. It | a |\n| Two | b |\n| Three | c |', 52)).toEqual(
      [
        'Options:',
        '| Name | Type |\n|:--|--|\n| One. It | a |\n| Two | b |',
        '| Name | Type |\n|:--|--|\n| Three | c |',
      ],
    )
    // A line that is too long by itself, and a head that leaves too little room.
    expect(await texts(`~~~\n${words(6)}\n~~~`, 30)).toEqual([
      '~~~\nword0 word1 word2\n~~~',
      '~~~\nword3 word4 word5\n~~~',
    ])
    expect(await texts(`~~~ ${words(4)}\na\n~~~`, 20)).toEqual(['~~~ word0 word1', 'word2 word3\na\n~~~'])
  })

  it('is kept for any code and table, without losing a line', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.', '|', '\t'), maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 3, maxLength: 40 }),
        fc.constantFrom('```\n', '| a | b |\n|-|-|\n'),
        fc.integer({ min: 60, max: 90 }),
        async (lines, head, max) => {
          const tail = head.startsWith('`') ? '\n```' : ''
          const parts = await splitting({ maxCharacters: max }).split(`${head}${lines.join('\n')}x${tail}`, 'text')
          const bodies = parts.map(({ text }) =>
            text.startsWith(head) && text.endsWith(tail)
              ? text.slice(head.length, tail === '' ? undefined : -tail.length)
              : text,
          )
          expect(bodies.join('').replaceAll(/\s/g, '')).toContain(lines.join('').replaceAll(/\s/g, ''))
          for (const { text } of parts) expect(text.length).toBeLessThanOrEqual(max)
        },
      ),
      { numRuns: examples(200) },
    )
  })

  it('is kept for any plain text, without losing a word or splitting a character', async () => {
    const piece = fc.oneof(
      fc.constantFrom('word', '. ', ' ', '\n\n', '\n', '😀', 'A', 'averyveryverylongwordindeed', '# ', '- ', '字。'),
      fc.string({ maxLength: 5 }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
        fc.integer({ min: 10, max: 80 }),
        async (text, max) => {
          const parts = await splitting({ maxCharacters: max }).split(text, 'text')
          expect(
            parts
              .map((part) => part.text)
              .join('')
              .replaceAll(/\s/g, ''),
          ).toBe(text.replaceAll(/\s/g, ''))
          for (const part of parts) {
            expect(part.text.length).toBeLessThanOrEqual(max)
            expect(part.text.trim()).not.toBe('')
            expect(part.text).not.toMatch(/[\ud800-\udbff]$|^[\udc00-\udfff]/)
          }
        },
      ),
      { numRuns: examples(400) },
    )
  })

  it('is kept under a heading too', async () => {
    const small = splitting({ maxCharacters: 60 })
    for (const { text } of await small.split(`# A heading of some length\n\n${words(30)}`, 'markdown')) {
      expect(text.length).toBeLessThanOrEqual(60)
      expect(text).toMatch(/^A heading of some length\n\nword/)
    }
    const heading = words(12, 'heading')
    const parts = await small.split(`# ${heading}\n\n${words(30)}`, 'markdown')
    for (const { text, section } of parts) {
      expect(text.length).toBeLessThanOrEqual(60)
      expect(section).toBe(heading)
    }
  })

  it('is part of the version, so that another limit counts as a change of documents', async () => {
    const version = (options: MarkdownSplitterOptions) => createMarkdownSplitter(options).version
    expect(version({ maxCharacters: 800 })).not.toBe(version({}))
    expect(version({ overlapCharacters: 0 })).not.toBe(version({}))
    expect(version({ maxCharacters: 1200, overlapCharacters: 150 })).toBe(version({}))
  })

  it.each([{ maxCharacters: 9 }, { maxCharacters: NaN }, { overlapCharacters: -1 }, { overlapCharacters: 601 }])(
    'rejects the limits %j',
    (options) => {
      expect(() => createMarkdownSplitter(options)).toThrow(
        expect.objectContaining({ code: 'config_invalid', param: Object.keys(options)[0] }),
      )
    },
  )
})

describe('the overlap', () => {
  const TEXT = 'Alpha is one. Beta is two. Gamma is three. Delta is four. Omega is five.'
  const texts = async (maxCharacters: number, overlapCharacters: number) =>
    (await splitting({ maxCharacters, overlapCharacters }).split(TEXT, 'text')).map(({ text }) => text)

  it('starts a piece of a paragraph with the last sentences of the one before', async () => {
    expect(await texts(45, 15)).toEqual([
      'Alpha is one. Beta is two. Gamma is three.',
      'Gamma is three. Delta is four. Omega is five.',
    ])
    expect(await texts(45, 14)).toEqual(['Alpha is one. Beta is two. Gamma is three.', 'Delta is four. Omega is five.'])
  })

  it('never exceeds the limit, and is not added to whole blocks', async () => {
    for (const text of await texts(30, 15)) expect(text.length).toBeLessThanOrEqual(30)
    const blocks = await splitting({ maxCharacters: 20, overlapCharacters: 10 }).split(
      'One is.\n\nTwo is here now.',
      'text',
    )
    expect(blocks.map(({ text }) => text)).toEqual(['One is.', 'Two is here now.'])
  })
})

describe('HTML', () => {
  it('is accepted only with a converter to Markdown', async () => {
    const htmlToMarkdown = async (html: string): Promise<HtmlInBlocks> => ({
      title: 'T',
      blocks: [
        { kind: 'heading', title: 'H', depth: 1 },
        { kind: 'text', text: html },
      ],
      hiddenText: true,
      work: 7,
    })
    expect(await createMarkdownSplitter({ htmlToMarkdown }).split('x', 'html')).toEqual({
      parts: [{ text: 'H\n\nx', section: 'H' }],
      title: 'T',
      hiddenText: true,
      work: 8,
    })
    // HTML within Markdown is split differently.
    expect(createMarkdownSplitter().version).toBe(`${createMarkdownSplitter({ htmlToMarkdown }).version}/plain`)
    expect((await createMarkdownSplitter().split('x', 'text')).hiddenText).toBe(false)
    await expect(createMarkdownSplitter().split('x', 'html')).rejects.toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining('htmlToMarkdown') as string }),
    )
  })
})
