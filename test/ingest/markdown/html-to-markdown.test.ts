import { expect, it, vi } from 'vitest'
import { htmlToMarkdown } from '../../../packages/ingest/src/markdown/html-to-markdown.ts'

it('reports config_invalid in a runtime that cannot parse HTML, such as Node', async () => {
  // Mutation tests have one in Node.
  vi.stubGlobal('HTMLRewriter', undefined)
  await expect(htmlToMarkdown('<p>x')).rejects.toMatchObject({ name: 'RagGateError', code: 'config_invalid' })
  vi.unstubAllGlobals()
})
