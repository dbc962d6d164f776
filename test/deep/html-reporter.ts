/** Starts workerd, in which `html-rewriter-in-node.ts` reads pages: a global setup of Vitest. */
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

/** Responds to a page with the calls of an `HTMLRewriter`'s handlers, in order. */
const REPORTER = `export default {
  async fetch(request) {
    const calls = []
    const element = (tag) => {
      const call = { name: tag.tagName, attributes: [...tag.attributes], isVoid: false }
      const at = calls.push(call) - 1
      try { tag.onEndTag(() => calls.push({ ends: at })) } catch { call.isVoid = true }
    }
    const text = ({ text, lastInTextNode }) => calls.push({ text, lastInTextNode })
    const rewriter = new HTMLRewriter().on(request.headers.get('selector'), { element }).onDocument({ text })
    try {
      const page = new Response(request.body, { headers: { 'content-type': 'text/html; charset=utf-8' } })
      await rewriter.transform(page).arrayBuffer()
      return Response.json({ calls })
    } catch (thrown) {
      return Response.json({ calls, failure: String(thrown) })
    }
  },
}`

export default async function start(): Promise<() => Promise<void>> {
  const workerd = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: REPORTER,
      compatibilityDate: '2026-11-01',
      host: '127.0.0.1',
      port: 0,
    }),
  )
  process.env['HTML_REPORTER'] = String(await workerd.ready)
  return () => workerd.dispose()
}
