/** Reads admonitions: `:::note[Title]` and `:::`, and quotes that begin with `[!NOTE]`. Extensions of CommonMark in many site generators. */

/** The first or last line of an admonition, up to its end. */
export const ADMONITION = /^[ \t]*:{3,}[ \t]*(?:[A-Za-z{][^\n]*)?$/
const TITLE = /:{3,}[ \t]*(?:\{([\w-]+)\}|([\w-]*))[ \t]*(?:\[(.*)\])?(.*)/
/** Kinds that are displayed as the title if there is no other. */
const KINDS = /^(?:note|tip|info|important|warning|caution|danger|details)$/i
/** The mark of a quote that is an admonition. */
const CALLOUT = /^([ \t]*>[ \t]*)\[!([\w-]+)\][+-]?[ \t]*([^\n]*)/

/** The title of an admonition by its first line; '' without one, and for the last line. */
export function admonitionTitle(line: string): string {
  const [, directive, kind = directive ?? '', named, rest = ''] = TITLE.exec(line) ?? []
  const title = (named ?? rest).replaceAll(/\{[^{}]*\}/g, '').trim()
  return title === '' && KINDS.test(kind) ? capitalised(kind) : title
}

/** A paragraph in which admonitions are their titles in bold. */
export function withoutAdmonitions(paragraph: string): string {
  return paragraph
    .replaceAll(new RegExp(ADMONITION, 'gm'), (line) => {
      const title = admonitionTitle(line)
      return title && `\n**${title}**\n`
    })
    .trim()
}

/** A quote in which the mark of an admonition is its title in bold. */
export function withTitle(quote: string): string {
  return quote.replace(
    CALLOUT,
    (_, start: string, kind: string, title: string) => `${start}**${title.trim() || capitalised(kind)}**`,
  )
}

/** A kind as a title. */
export function capitalised(kind: string): string {
  return kind.slice(0, 1).toUpperCase() + kind.slice(1).toLowerCase()
}
