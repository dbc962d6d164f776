export { htmlToMarkdown } from './html-to-markdown.ts'
export { createMarkdownSplitter } from './markdown-splitter.ts'
