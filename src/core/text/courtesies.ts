/** Words that are said around a question and ask nothing: greetings, thanks, "could you please tell me". English. */

const OPENINGS: readonly RegExp[] = [
  /^(?:hello|hi|hey|greetings|good (?:morning|afternoon|evening|day)|dear \p{L}+)(?: (?:there|all|everyone|everybody|team))?(?:\s*[,.!:;–—-]+\s*|\s+(?=(?:what|which|who|how|why|when|where|is|are|do|does|did|can|could|would|will|i|we|please)\b))/iu,
  /^(?:please|pls|kindly|excuse me|sorry|thanks|thank you)\b[\s,.!:;–—-]*/iu,
  /^(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody)(?: please| kindly)? (?:(?:help|tell|show|give|inform|advise|remind) (?:me|us)|(?:explain|describe|clarify)(?: to (?:me|us))?|let (?:me|us) know)\b(?: please)?[\s,:–—-]*/iu,
  /^(?:please )?(?:(?:tell|show|remind|inform) (?:me|us)|let (?:me|us) know|explain to (?:me|us))\b[\s,:–—-]*/iu,
  /^(?:i|we)(?: would|['’]d)? (?:really )?(?:like|want|need|love|wish) to (?:know|ask|understand|learn|find out|hear)\b[\s,:–—-]*/iu,
  /^(?:i|we)(?: am| are| was| were|['’]m|['’]re)?(?: just)? (?:wondering|wonder|curious)\b(?: about| if| whether)?[\s,:–—-]*/iu,
  /^(?:i|we) have (?:a|one|another)(?: quick| short| simple)? question(?: about| regarding| on| for you)?[\s,.:!–—-]*/iu,
  /^(?:do|does|would) (?:you|someone|somebody|anyone|anybody)(?: happen to)? know\b(?: if| whether)?[\s,:–—-]*/iu,
]

const CLOSING =
  /[\s,.!?;–—-]+(?:please|pls|cheers|thx|(?:many )?thanks|thank you)(?: (?:so|very) much| a lot)?(?: in advance)?[\s.!?]*$/iu

/** Closings stand within so many characters from the end. */
const TAIL = 80

/** Courtesies that are taken off one after another. */
const MOST = 8

/**
 * A question without what politeness puts around it. What is asked stays as it was written.
 *
 * @param question normalised (`normaliseQuestion`)
 * @returns the question as it is when nothing else is left of it
 */
export function withoutCourtesies(question: string): string {
  let bare = question
  for (let taken = 0; taken < MOST; taken++) {
    const before = bare
    for (const opening of OPENINGS) bare = bare.replace(opening, '')
    bare = bare.slice(0, -TAIL) + bare.slice(-TAIL).replace(CLOSING, '')
    if (bare === before) break
  }
  return bare.trim() === '' ? question : bare
}
