/** Reads documents of a family as in the ready Worker and the command line. */
import { htmlToMarkdown } from '../../packages/ingest/src/markdown/html-to-markdown.ts'
import { createMarkdownSplitter } from '../../packages/ingest/src/markdown/markdown-splitter.ts'
import { splitFrontMatter } from '../../packages/ingest/src/mdx/front-matter.ts'
import { mdxToMarkdown } from '../../packages/ingest/src/mdx/mdx-to-markdown.ts'
import { documentOf, FAMILIES, type Form } from './families.ts'

/** The document to read. */
export interface Reading {
  readonly form: Form
  readonly at: number
  /** Its length, characters. */
  readonly length: number
}

const splitter = createMarkdownSplitter({ htmlToMarkdown })

async function read({ form, at, length }: Reading): Promise<number> {
  const text = documentOf(FAMILIES[form][at]!, length)
  if (form === 'mdx') {
    const { body } = splitFrontMatter(text)
    return mdxToMarkdown(body).length
  }
  return (await splitter.split(text, form)).parts.length
}

export default {
  async fetch(request: Request): Promise<Response> {
    const reading = (await request.json()) as Reading
    try {
      return Response.json({ read: await read(reading) })
    } catch (thrown) {
      return Response.json({ refused: (thrown as { readonly code?: string }).code ?? String(thrown) })
    }
  },
}
