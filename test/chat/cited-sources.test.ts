import { expect, test } from 'vitest'
import { citedSources } from '../../packages/chat/src/cited-sources.ts'

test.each<[string | undefined, object]>([
  ['https://docs.example/a', { url: 'https://docs.example/a' }],
  ['HTTP://docs.example/a', { url: 'HTTP://docs.example/a' }],
  ['handbook/a.md', { filename: 'handbook/a.md' }],
  ['copy of https://docs.example/a', { filename: 'copy of https://docs.example/a' }],
  [undefined, {}],
])('a citation with the source %j has %j, and the title of its document', (source, found) => {
  const citation = { number: 1, id: 'a#1', document_id: 'a', ...(source !== undefined && { source }) }
  const named = { id: 'a#1', mediaType: 'text/plain', ...found }
  expect(citedSources([citation, { ...citation, title: 'Engine' }])).toEqual([
    { ...named, title: 'a' },
    { ...named, title: 'Engine' },
  ])
})
