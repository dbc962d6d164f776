import { describe, expect, it } from 'vitest'
import { markdownBlocks } from '../../../packages/ingest/src/markdown/blocks.ts'
import { readHtmlWithin, type ReadHtml } from '../../../packages/ingest/src/markdown/html-within.ts'

const text = (of: string) => ({ kind: 'text', text: of })
const heading = (title: string, depth: number) => ({ kind: 'heading', title, depth })

describe('readHtmlWithin without a reader', () => {
  const blocksOf = async (markdown: string) => (await readHtmlWithin(markdownBlocks(markdown), undefined)).blocks

  it.each([
    ['<div>\na\n</div>', [text('<div>\na\n</div>')]],
    ['a <b>b</b> <!-- c --> d<!---->e <!-- f\ng -->h', [text('a <b>b</b>  de h')]],
    ['<p>a --> b <!-- c --> d --> e</p>', [text('<p>a --> b  d --> e</p>')]],
    ['a <!-- b', [text('a <!-- b')]],
    ['# A <i hidden>b</i>', [heading('A b', 1)]],
    ['a <!-- b --> c <b hidden>d</b>', [text('a  c <b hidden>d</b>')]],
    ['# A <b>b</b>\n\n`<!-- c -->` <b>d</b>', [heading('A b', 1), text('`<!-- c -->` <b>d</b>')]],
  ])('keeps HTML but comments: %j', async (markdown, blocks) => {
    expect(await blocksOf(markdown)).toEqual(blocks)
    expect(await readHtmlWithin(markdownBlocks(markdown), undefined)).toMatchObject({ hiddenText: false })
  })
})

describe('readHtmlWithin', () => {
  /** Returns each line of the page as a block, and keeps the page. */
  const pages: string[] = []
  const read: ReadHtml = (html, options) => {
    pages.push(html)
    expect(options).toEqual({ whole: true })
    const blocks = html.split('\n').map((line) => {
      const shown = line.replaceAll(/<[^>]*>/g, '')
      return line.includes('<h')
        ? { kind: 'heading' as const, title: ` ${shown} `, depth: 3 }
        : { kind: 'text' as const, text: shown }
    })
    return Promise.resolve({ blocks, hiddenText: true, work: 7 })
  }
  const readWithin = (markdown: string) => readHtmlWithin(markdownBlocks(markdown), read)

  it('reads no page without HTML', async () => {
    pages.length = 0
    expect(await readWithin('# A\n\nb\n\nc')).toMatchObject({
      blocks: [heading('A', 1), text('b'), text('c')],
      hiddenText: false,
    })
    expect(pages).toEqual([])
  })

  it('keeps the blocks around HTML, and adds up the work', async () => {
    const markdown = '# A\n\none\n\n<p>two</p>\n\n## B\n\n`three` <b hidden>four</b>'
    const { work } = markdownBlocks(markdown)
    expect(await readWithin(markdown)).toEqual({
      blocks: [heading('A', 1), text('one'), text('two'), heading('B', 2), text('`three` four')],
      hiddenText: true,
      work: work + 7,
    })
  })

  it.each([
    ['one', 'div'],
    ['one\ntwo', 'ul'],
    ['a | b', 'ul'],
    ['one\n\ntwo', 'ul'],
    ['# a | b', 'ul'],
  ])('stands in for what fits in a cell with an element that may be in one: %j', async (markdown, name) => {
    pages.length = 0
    await readWithin(`${markdown}\n\n<p>x</p>`)
    expect(pages).toEqual([expect.stringMatching(new RegExp(`^<${name}>\ue000\\d\ue001</${name}>\n<p>x</p>$`))])
  })

  it('has the words of what stands in a heading', async () => {
    expect((await readWithin('<h3>\n\n# A\n\nb\n\n</h3>')).blocks).toEqual([heading('', 3), heading('A', 1), text('b')])
    expect((await readWithin('`a` <i hidden><h3>b</h3></i>')).blocks).toEqual([heading('`a` b', 3)])
    expect((await readWithin('<p>\ue0007\ue001x&#xe000;</p>\n\n<p></p>')).blocks).toEqual([text('7x&#xe000;')])
  })
})
