import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitFrontMatter } from '../../../packages/ingest/src/mdx/front-matter.ts'

describe('splitFrontMatter', () => {
  it('reads YAML', () => {
    const text = [
      '---',
      'title: "Quick: start"',
      'description: >-',
      '  In two',
      '  lines',
      'date: 2024-01-01',
      'draft: false # a comment',
      'tags:',
      '  - a',
      '  - {b: 1}',
      '---',
      '# Heading',
      '',
    ].join('\n')
    expect(splitFrontMatter(text)).toEqual({
      body: '# Heading\n',
      fields: {
        title: 'Quick: start',
        description: 'In two lines',
        date: '2024-01-01',
        draft: false,
        tags: ['a', { b: 1 }],
      },
    })
  })

  it.each([
    ['no block', '# Heading\n\n---\n\nText.\n'],
    ['a ruler', '---\nText.\n'],
    [
      'prose between rulers',
      '---\nSome: words, and "more\n\nof: [them\n---\nText.\n'.replace('Some: ', 'Some ').replace('of: ', 'of '),
    ],
    ['prose between rulers that is no YAML', '---\n"Quoted, and left open.\n---\nText.\n'],
    ['a list between rulers', '---\n- a\n- b\n---\nText.\n'],
    ['a block that does not begin the text', '\n---\ntitle: x\n---\nText.\n'],
    ['a block that never ends', '---\ntitle: x\n\nText.\n'],
  ])('reads nothing from a text with %s', (_, text) => {
    expect(splitFrontMatter(text)).toEqual({ body: text, fields: {} })
  })

  it('reads a block after a byte order mark', () => {
    expect(splitFrontMatter('\ufeff---\ntitle: x\n---\nText.')).toEqual({ body: 'Text.', fields: { title: 'x' } })
  })

  it('removes an empty block, and accepts CRLF line ends', () => {
    expect(splitFrontMatter('---\n---\nText.')).toEqual({ body: 'Text.', fields: {} })
    expect(splitFrontMatter('---\r\ntitle: x\r\n---\r\nText.\r\n')).toEqual({
      body: 'Text.\r\n',
      fields: { title: 'x' },
    })
  })

  it.each([
    ['weight = 1\ntitle = "Quick \\"start\\" \\u00e9" # words\n[extra]\ntitle = "other"', 'Quick "start" é'],
    ["subtitle = 'a'\r\ntitle='C:\\pages'", 'C:\\pages'],
  ])('reads the title from TOML: %j', (block, title) => {
    expect(splitFrontMatter(`+++\n${block}\n+++\nText.`)).toMatchObject({ body: 'Text.', fields: { title } })
  })

  it('reads no title from a TOML block longer than the limit for YAML', () => {
    const far = 'a = 1\n'.repeat(6000)
    for (const block of [`${far}title = "x"`, `title = "${'x'.repeat(40_000)}"`]) {
      const { body, fields } = splitFrontMatter(`+++\n${block}\n+++\nText.`)
      expect([body, fields]).toEqual(['Text.', {}])
    }
  })

  it.each([
    ['---\ntitle: "open\n---\nText.', /^its front matter is no YAML, line \d$/],
    ['---\na: 1\na: 2\n---\nText.', /^its front matter is no YAML, line 3$/],
    ['+++\ndraft = true\n+++\nText.', /TOML/],
    ['+++\n[extra]\ntitle = "x"\n+++\nText.', /TOML/],
  ])('removes a block that cannot be parsed, and reports it: %j', (text, fault) => {
    expect(splitFrontMatter(text)).toEqual({ body: 'Text.', fields: {}, fault: expect.stringMatching(fault) })
  })

  it('rejects references that expand exponentially', () => {
    const bomb = Array.from(
      { length: 12 },
      (_, at) =>
        `a${at}: &a${at} [${
          at === 0
            ? 'x'
            : Array(9)
                .fill(`*a${at - 1}`)
                .join(', ')
        }]`,
    )
    const { body, fault } = splitFrontMatter(`---\n${bomb.join('\n')}\n---\nText.`)
    expect({ body, fault }).toEqual({ body: 'Text.', fault: 'its front matter cannot be read' })
  })

  it.each(['? ', '- '])('rejects a block nested deeper than the stack: %j', (unit) => {
    const text = `---\n${unit.repeat(15_500)}\nb: 1\n---\nText.`
    expect(splitFrontMatter(text)).toEqual({ body: 'Text.', fields: {}, fault: 'its front matter cannot be read' })
    const prose = text.replace('b: 1', 'b, 1')
    expect(splitFrontMatter(prose)).toEqual({ body: prose, fields: {} })
  })

  it('cannot change the prototypes of objects', () => {
    const { fields } = splitFrontMatter('---\n__proto__: {polluted: true}\nconstructor: x\n---\nText.')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect(Object.keys(fields)).toContain('constructor')
  })

  it('ignores a block that is too long', () => {
    const entries = 'a: &a1 [x]\n'.repeat(200_000)
    expect(splitFrontMatter(`---\n${entries}---\nText.`)).toEqual({
      body: 'Text.',
      fields: {},
      fault: 'its front matter is too long to be read',
    })
    const prose = `---\n${'Prose between two rulers. &a *b \n'.repeat(60_000)}---\nText.`
    expect(splitFrontMatter(prose)).toEqual({ body: prose, fields: {} })
  })
})

describe('any front matter', () => {
  it('is parsed or reported, without an exception', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '? ',
        '- ',
        ': ',
        '[',
        '{',
        ']',
        '}',
        '"',
        "'",
        '&a ',
        '*a ',
        '<<: ',
        '|',
        '>',
        '#',
        '!',
        '%',
        '\n',
        '\t',
        '  ',
        'a',
        'a: ',
      ),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.constantFrom('---', '+++'), (pieces, fence) => {
        const text = `${fence}\ntitle: x\n${pieces.join('')}\n${fence}\nBody`
        const { body, fields } = splitFrontMatter(text)
        expect(text.endsWith(body)).toBe(true)
        expect(JSON.parse(JSON.stringify(fields))).toEqual(fields)
      }),
    )
  })

  it.each(['? ', '[', '- ', '{a: ', '&a [', '"'])('of %j repeated takes linear time', (unit) => {
    const before = process.cpuUsage()
    splitFrontMatter(`---\ntitle: x\n${unit.repeat(1000)}\n---\nBody`)
    const { user } = process.cpuUsage(before)
    expect(user / 1e6).toBeLessThan(2)
  })
})
