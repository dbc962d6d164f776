/**
 * The gate over your own passages, without any service: a retriever is one function that ranks them.
 *
 * It answers with the closest passage. `POST /ask` with `{"question": "What does the warranty cover?"}`.
 */
import { Hono } from 'hono'
import { balanced, ragGate, type Ranking, type Retriever } from 'hono-rag-gate'

const PASSAGES = [
  {
    id: 'warranty-1',
    documentId: 'warranty',
    title: 'Warranty',
    text: 'The warranty lasts two years. It covers the motor and the battery.',
  },
  {
    id: 'returns-1',
    documentId: 'returns',
    title: 'Returns',
    text: 'Send returns within thirty days. Postage for returns is free.',
  },
]

/** Ranks passages by the number of words of the question that they contain: a stand-in for your search. */
export const retriever: Retriever = {
  async retrieve({ question, topK }): Promise<readonly Ranking[]> {
    const words = new Set(question.toLowerCase().match(/\p{L}{4,}/gu))
    const entries = PASSAGES.map((passage) => {
      const own = new Set(`${passage.title} ${passage.text}`.toLowerCase().match(/\p{L}{4,}/gu))
      return { passage, score: [...words].filter((word) => own.has(word)).length }
    })
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
    return [{ kind: 'bm25', entries: entries.slice(0, topK) }]
  },
}

const app = new Hono()
app.post('/ask', ragGate({ policy: balanced(), dependencies: { retriever } }), (c) => {
  const { evidence, citations, summary } = c.var.ragGate
  return c.json({ answer: evidence.chunks[0]?.text, sources: citations, refused: false, ...summary })
})

export default app
