export { splitFrontMatter } from './front-matter.ts'
export { mdxToMarkdown } from './mdx-to-markdown.ts'
