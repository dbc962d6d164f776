/** The site of the documentation: the same Markdown as in the repository, `npm run site -- build docs`. */
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const ROOT = new URL('../../', import.meta.url)
const titleOf = (page: string): string =>
  /^# (.+)$/m.exec(readFileSync(new URL(page, ROOT), 'utf8'))?.[1]?.replaceAll('`', '') ?? page

/** Pages of the sidebar, by their titles. */
const items = (...pages: readonly string[]) =>
  pages.map((page) => ({ text: titleOf(`docs/${page}.md`), link: `/docs/${page}` }))

export default defineConfig({
  title: 'hono-rag-gate',
  description: 'A confidence gate for RAG at the edge',
  srcDir: '..',
  srcExclude: ['**/{node_modules,dist,test,bench,.changeset,.wrangler}/**', '**/.*/**'],
  rewrites: { 'README.md': 'index.md', 'packages/:name/README.md': 'packages/:name/index.md', 'examples/README.md': 'examples/index.md' },
  // Links to sources lead to files of the repository, which the site does not have.
  ignoreDeadLinks: [/\.(?:ts|tsx|toml|json|sql|svg)$/, /^\.?\.?\/?(?:LICENSE|<repository>)/],
  cacheDir: '../node_modules/.vitepress',
  outDir: '../dist/site',
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      // Ten pages at most: the path of people who begin.
      { text: 'Begin', items: items('getting-started', 'your-own-index', 'how-it-works') },
      { text: 'How to', items: items('recipes', 'thresholds', 'calibration', 'caching', 'statistics', 'dashboard', 'troubleshooting') },
      {
        text: 'Reference',
        items: items(
          'reference/middleware',
          'reference/policies',
          'reference/adapters',
          'reference/http-api',
          'reference/configuration',
          'reference/command-line',
          'reference/ingestion',
          'reference/production',
          'reference/security',
          'vector-index',
          'cascades',
        ),
      },
      { text: 'The project', items: [...items('architecture', 'reference/not-yet'), { text: 'Changes', link: '/CHANGELOG' }] },
    ],
  },
})
