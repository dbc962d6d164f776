import { describe, expect, it } from 'vitest'
import { markdownBlocks } from '../../../packages/ingest/src/markdown/blocks.ts'

const textsOf = (text: string): unknown[] =>
  markdownBlocks(text).blocks.map((block) => {
    if (block.kind === 'html') return block.pieces
    return block.kind === 'text' ? block.text : `${block.depth}: ${block.title}`
  })

describe('markdownBlocks', () => {
  it.each([
    ['- a\n\n- b\n* c', ['- a\n\n- b', '* c']],
    ['- a\nlazy\n\n  still\n\nout', ['- a\nlazy\n\n  still', 'out']],
    ['> a\nlazy\n\n> b', ['> a\nlazy', '> b']],
    ['-\n\n  out', ['-', 'out']],
    ['- ```\n  # code\n\n  ```\n- b', ['- ```\n  # code\n\n  ```\n- b']],
    ['```\n# code\n\n\n- a\n```\nout', ['```\n# code\n\n\n- a\n```', 'out']],
    ['In\n1999. a year', ['In\n1999. a year']],
    ['-\ta\n\n\tb', ['-\ta\n\n\tb']],
    ['     code\n\n      code\ntext', [' code\n\n  code', 'text']],
    ['> - a\n> b', ['> - a\n> b']],
    ['> a\n>', ['> a\n>']],
    ['   a', ['a']],
    ['a:\n&amp; | b\n:-|-\n&lt; | d', ['a:', '& | b\n:-|-\n< | d']],
    ['a\nb:\n| c |\n|---|\n| d |\n| e |\n|---|', ['a\nb:', '| c |\n|---|\n| d |\n| e |\n|---|']],
    ['a\n| b |\n| : |\n| c |\n|', ['a\n| b |\n| : |\n| c |\n|']],
    ['a\n| b |\n|---', ['a', '| b |\n|---']],
    ['| b |\n|---|\n| c |', ['| b |\n|---|\n| c |']],
    ['- a\n  | b |\n  |---|', ['- a\n  | b |\n  |---|']],
    ['a\n</b>\nc', ['a\n</b>\nc']],
  ])('recognises where lists, quotes and code end: %j', (text, blocks) => {
    expect(textsOf(text)).toEqual(blocks)
  })

  it.each([
    ['  ~~~ js \n  a\n   b\n c\n  ~~~~~', ['~~~ js\na\n b\nc\n~~~']],
    ['```\na\n\n', ['```\na\n\n```']],
    ['```', ['```\n```']],
    ['````\n```\n````', ['````\n```\n````']],
  ])('writes code as it is shown: %j', (text, blocks) => {
    expect(textsOf(text)).toEqual(blocks)
  })

  it.each([
    ['[a]: b\n---', []],
    ['a[^1]\n\n[^1]: Deprecated\n[^2]: b "c"', ['a[^1]', '[^1]: Deprecated', '[^2]: b "c"']],
    ['[a]: b "t"\n[c]: <d e>\ntext', ['text']],
    ['[a]: b "t" x', ['[a]: b "t" x']],
    ['a\n===', ['1: a']],
    ['a\nb  \nc\n===', ['1: a b c']],
    ['- a\n---', ['- a']],
    [
      '###### The `key` [*turns*][a] &amp; ![a lock](b.png) <br>stops ##\n\n[a]: c',
      ['6: The key turns & a lock stops'],
    ],
    ['[x][y]\n---\n> [Y]: z', ['2: x', '> [Y]: z']],
    ['a\r\nb\rc\u0000', ['a\nb\nc\u0000']],
  ])('recognises definitions, rules, headings and line ends: %j', (text, blocks) => {
    expect(textsOf(text)).toEqual(blocks)
  })

  it.each([
    ['Qu&eacute; es &#233;l y &#xe9;l&nbsp;?', ['Qué es él y él\u00a0?']],
    ['AT&amp;T `&amp;` &lt;b&gt;', ['AT&T `&amp;` <b>']],
    ['```\n&amp;\n```\n\n- &amp;', ['```\n&amp;\n```', '- &']],
    ['\\&amp; &nosuch; a & b; c', ['\\&amp; &nosuch; a & b; c']],
    [
      '&lt;p hidden&gt; a <b hidden>&eacute;</b>',
      [[{ text: '<p hidden> a ' }, { html: '<b hidden>' }, { text: 'é' }, { html: '</b>' }]],
    ],
  ])('reads references to characters outside code: %j', (text, blocks) => {
    expect(textsOf(text)).toEqual(blocks)
  })

  it.each([
    [':::note\na\n:::', ['**Note**\n\na']],
    ['::: WARNING\n\na\n\n:::', ['**Warning**', 'a']],
    [':::tip[A `b`]\na', ['**A `b`**\n\na']],
    ['::: details C {open}\n- a\n\n::::\n:::', ['**C**', '- a']],
    [':::{danger} d\n:::{caution}', ['**d**\n\n\n**Caution**']],
    ['::: {.a}\n::: code-group\nb', ['b']],
    ['a ::: b\n::: 1', ['a ::: b\n::: 1']],
    ['::: tip Use <script>\na', [[{ text: '**Use ' }, { html: '<script>' }, { text: '**\n\na' }]]],
    ['> [!NOTE]\n> a\n> [!TIP]', ['> **Note**\n> a\n> [!TIP]']],
    ['>[!a-b]- C d \n>e', ['>**C d**\n>e']],
    ['> a\n\n[!NOTE]', ['> a', '[!NOTE]']],
    ['- > [!NOTE]\n- :::note', ['- > [!NOTE]\n- :::note']],
  ])('reads the titles of admonitions: %j', (text, blocks) => {
    expect(textsOf(text)).toEqual(blocks)
  })

  it.each([
    ['<div>\na\n</div>\n\nb', [[{ html: '<div>\na\n</div>' }], 'b']],
    ['a <!-- b\nc --> d', [[{ text: 'a ' }, { html: '<!-- b\nc -->' }, { text: ' d' }]]],
    ['- a <!--> b', [[{ text: '- a ' }, { html: '<!-->' }, { text: ' b' }]]],
    [
      'a <b title=">" hidden>b</b>',
      [[{ text: 'a ' }, { html: '<b title=">" hidden>' }, { text: 'b' }, { html: '</b>' }]],
    ],
    ['- a\n  ~~~\n  <!-- b -->\n  ~~~\n', [[{ text: '- a\n  ~~~\n  <!-- b -->\n  ~~~' }]]],
    ['    <!-- a -->', ['<!-- a -->']],
    [
      '> ```\n> <!-- a -->\n> ```\n> <!-- b -->',
      [[{ text: '> ```\n> <!-- a -->\n> ```\n> ' }, { html: '<!-- b -->' }]],
    ],
    ['- a\n\n      <!-- b --> &amp;\n- &amp;', [[{ text: '- a\n\n      <!-- b --> &amp;\n- &' }]]],
    ['`<b hidden>` <b hidden>', [[{ text: '`<b hidden>` ' }, { html: '<b hidden>' }]]],
    ['`` <b hidden> ` `` <i hidden>', [[{ text: '`` <b hidden> ` `` ' }, { html: '<i hidden>' }]]],
    ['` <b hidden> ``', [[{ text: '` ' }, { html: '<b hidden>' }, { text: ' ``' }]]],
    ['`a` `b` <b hidden> `c`', [[{ text: '`a` `b` ' }, { html: '<b hidden>' }, { text: ' `c`' }]]],
    ['<i title="`" hidden>`<b>`', [[{ html: '<i title="`" hidden>' }, { text: '`<b>`' }]]],
    [
      '- <p>\n  \\<b hidden>\n  </p>',
      [
        [
          { text: '- ' },
          { html: '<p>' },
          { text: '\n  \\' },
          { html: '<b hidden>' },
          { text: '\n  ' },
          { html: '</p>' },
        ],
      ],
    ],
    ['a <b c <i title="<br>" hidden>d', [[{ text: 'a <b c ' }, { html: '<i title="<br>" hidden>' }, { text: 'd' }]]],
    ['a <? > ?> <!b> c', [[{ text: 'a ' }, { html: '<? > ?>' }, { text: ' ' }, { html: '<!b>' }, { text: ' c' }]]],
    ['a <!-- > <? > <!b', [[{ text: 'a <!-- > <? > <!b' }]]],
    ['a <b hidden c="d > e', [[{ text: 'a <b hidden c="d > e' }]]],
    ['a<br>b <brief hidden>c', [[{ text: 'a b ' }, { html: '<brief hidden>' }, { text: 'c' }]]],
    [
      '# `<b hidden>` <i hidden>c</i> {#d}',
      [
        [
          { html: '<h1>' },
          { text: '<b hidden> ' },
          { html: '<i hidden>' },
          { text: 'c' },
          { html: '</i>' },
          { html: '</h1>' },
        ],
      ],
    ],
    ['a <kbd>b</kbd> <https://c.d> 1 < 2', ['a <kbd>b</kbd> <https://c.d> 1 < 2']],
  ])('separates HTML: %j', (text, blocks) => {
    expect(textsOf(text)).toEqual(blocks)
  })

  it.each([
    ['- ', 13],
    ['> ', 27],
    ['1. ', 13],
  ])('reads %j nested %i levels, and rejects deeper nesting', (mark, levels) => {
    expect(textsOf(`${mark.repeat(levels)}a`)).toHaveLength(1)
    for (const more of [1, 2, 3, 50, 1000]) {
      expect(() => textsOf(`${mark.repeat(levels + more)}a`)).toThrow(
        expect.objectContaining({ code: 'too_deep', message: expect.stringContaining('nests too deeply') as string }),
      )
    }
    const steps = Array.from({ length: 120 }, (_, at) => `${'  '.repeat(at)}- a\n`).join('')
    expect(() => textsOf(`${steps}\n# A heading`)).toThrow(expect.objectContaining({ code: 'too_deep' }))
  })

  it('takes a long heading as text, and rejects a long paragraph with hidden text', () => {
    expect(textsOf(`# ${'a'.repeat(300)}`)).toEqual([`1: ${'a'.repeat(300)}`])
    expect(textsOf(`# ${'a'.repeat(301)}`)).toEqual(['a'.repeat(301)])
    const link = (length: number): string => `[a](${'b'.repeat(length - 5)})`
    expect(textsOf(`# ${link(3000)}`)).toEqual(['1: a'])
    expect(textsOf(`# ${link(3001)}`)).toEqual([link(3001)])
    const hiding = (length: number): string => `${'a'.repeat(length - 10)}<b hidden>`
    expect(textsOf(hiding(200_000))).toHaveLength(1)
    expect(() => textsOf(hiding(200_001))).toThrow(
      expect.objectContaining({ code: 'document_too_complex', message: expect.stringContaining('too long') as string }),
    )
  })

  it('rejects a document with too many items', () => {
    expect(textsOf('- a\n'.repeat(39_000))).toHaveLength(1)
    expect(() => textsOf('- a\n'.repeat(41_000))).toThrow(
      expect.objectContaining({
        code: 'document_too_complex',
        message: expect.stringContaining('too many blocks') as string,
      }),
    )
  })
})
