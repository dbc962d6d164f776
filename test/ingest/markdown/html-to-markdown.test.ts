import { expect, it } from 'vitest'
import { htmlToMarkdown } from '../../../packages/ingest/src/markdown/html-to-markdown.ts'

it('reports config_invalid in a runtime that cannot parse HTML, such as Node', async () => {
  await expect(htmlToMarkdown('<p>x')).rejects.toMatchObject({ name: 'RagGateError', code: 'config_invalid' })
})
