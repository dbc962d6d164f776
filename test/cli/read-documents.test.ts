import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readDocuments } from '../../src/cli/read-documents.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-documents-'))))
afterEach(() => rmSync(folder, { recursive: true }))

function put(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  return path
}

describe('readDocuments', () => {
  it('takes every file of a folder that it can read, by its path, with its title', async () => {
    put('guide/start.md', 'Intro.\n\n# Starting  up\n\nTurn the key.')
    put('page.HTML', '<html><head><title>A\n page</title></head><body>Text</body></html>')
    put('notes.txt', '# no heading in plain text')
    put('image.png', 'x')
    put('.git/readme.md', '# hidden')
    put('node_modules/x/readme.md', '# foreign')
    put('empty.md', ' \n')
    expect(await readDocuments(folder)).toEqual([
      {
        id: 'guide/start.md',
        source: 'guide/start.md',
        title: 'Starting up',
        format: 'markdown',
        text: 'Intro.\n\n# Starting  up\n\nTurn the key.',
      },
      { id: 'notes.txt', source: 'notes.txt', format: 'text', text: '# no heading in plain text' },
      { id: 'page.HTML', source: 'page.HTML', title: 'A page', format: 'html', text: expect.stringContaining('Text') },
    ])
  })

  it('takes one file by its name', async () => {
    expect(await readDocuments(put('deep/one.md', 'Text.'))).toMatchObject([{ id: 'one.md', text: 'Text.' }])
  })

  it('takes nothing at all for a mistake, so that nobody prunes a collection by it', async () => {
    put('empty.md', ' \n')
    put('none.jsonl', '\n')
    await expect(readDocuments(folder)).rejects.toThrow('no text')
  })

  it('takes a document from each line of JSONL as it is', async () => {
    const path = put('all.jsonl', '{"id":"a","text":"Alpha."}\n\n{"id":"b","text":"Beta.","metadata":{"page":1}}\n')
    expect(await readDocuments(path)).toEqual([
      { id: 'a', text: 'Alpha.' },
      { id: 'b', text: 'Beta.', metadata: { page: 1 } },
    ])
  })

  it.each([
    ['nothing.md', undefined, 'There is no file or folder'],
    ['a.pdf', 'x', 'does not end in'],
    ['a.md', Uint8Array.of(0x61, 0xff), 'is not UTF-8'],
    ['a.jsonl', '{"id":"a"}\n{"id":', 'a.jsonl:2 is not a JSON object with an id'],
    ['a.jsonl', '{"text":"x"}', 'a.jsonl:1'],
    ['a.jsonl', '{"id":"a"}\n{"id":"a"}', 'Two documents have the id a'],
  ])('says what is wrong with %s holding %j', async (name, content, message) => {
    const path = content === undefined ? join(folder, name) : put(name, content)
    await expect(readDocuments(path)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(message) })
  })

  it('says that a folder has nothing to read', async () => {
    put('image.png', 'x')
    await expect(readDocuments(folder)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('.md') })
  })
})
