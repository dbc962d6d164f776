/** The page of app.ts: messages, their verdicts and their sources. */
import { useChat } from '@ai-sdk/react'
import type { UIMessage } from 'ai'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

/** Data that the gate sends before the first word of an answer. */
interface Verdict {
  readonly verdict: 'pass' | 'advise' | 'refuse'
  readonly caution?: string
  readonly suggestions?: readonly string[]
}
type Message = UIMessage<unknown, { 'rag-gate': Verdict }>

function Part({ part }: { readonly part: Message['parts'][number] }) {
  if (part.type === 'text') return <p>{part.text}</p>
  if (part.type === 'source-document') return <cite>{part.title}</cite>
  if (part.type === 'source-url') return <cite>{part.title ?? part.url}</cite>
  if (part.type !== 'data-rag-gate') return null
  const { verdict, caution, suggestions = [] } = part.data
  return (
    <aside data-verdict={verdict}>
      {verdict === 'refuse' && <strong>Not in the documents</strong>}
      {caution !== undefined && <em>{caution}</em>}
      {suggestions.map((suggestion) => (
        <li key={suggestion}>{suggestion}</li>
      ))}
    </aside>
  )
}

function Chat() {
  const { messages, sendMessage, error } = useChat<Message>()
  const [text, setText] = useState('')
  const send = (event: { preventDefault(): void }): void => {
    event.preventDefault()
    void sendMessage({ text })
    setText('')
  }
  return (
    <main>
      {messages.map(({ id, role, parts }) => (
        <article key={id} data-role={role}>
          {parts.map((part, at) => (
            <Part key={at} part={part} />
          ))}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={send}>
        <input aria-label="Question" value={text} onChange={({ target }) => setText(target.value)} />
      </form>
    </main>
  )
}

createRoot(document.querySelector('#chat')!).render(<Chat />)
