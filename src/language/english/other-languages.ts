/** Questions in languages of which only the words that ask are known. */
import { words } from '../../core/text/words.ts'

/**
 * How words that ask begin; those that end in a space are whole words. In this order: German; Spanish, Portuguese, French and
 * Italian; Romanian; Turkish; Vietnamese; Russian; Greek; Arabic; Hindi, none behind a comma, where a clause is told. Then
 * Chinese and Thai, which are written without spaces. One pattern, for a list of them takes 47 of the middleware's 42,000
 * bytes more.
 */
const ASKS =
  /(?<=^|[^,] )(?:w(?:e[rmn] |as |ie |ann|arum|o |elch)|qu(?:é|i[eé]n|el |elle|em |al |ale |ant)|cuá|cómo|d?[óo]nde|où |combien|pourquoi|cine|ce |când|unde|câ[tț]|kim(?: |dir)|ne(?: |re|dir)|nasıl|hangi|kaç|gì|bao n|đâu|nào|ко(?:го|му) |кто|что |где|когда |почему|как|сколько|ποι|τι |πού |πότε|πώς|γιατί|πόσ|ماذا|ما |من (?:ه|ال[ذت]ي )|مع من |^من |متى|أي|لماذا|كيف|كم |هل |क्य|कौन|कहा[ँं]|कब |कैसे|कितन|किस)[\p{L}\p{M}]*|什[么麼]|谁|哪|多少|如何|怎|อะไร|ใคร|ไหน|ใด|กี่|ทำไม/giu

/** A question that begins with a word that asks has at most so many before it, and more from the last such word on. */
const FEW = 2

/** Parts a sentence in which several words ask: before each but the first, or behind each but the last where no question begins with it. */
export function partedInOthers(sentence: string): readonly string[] {
  const asking = [...sentence.matchAll(ASKS)]
  const [before, rest] = [sentence.slice(0, asking[0]?.index), sentence.slice(asking.at(-1)?.index)]
  const isFirst = words(before).length < FEW && words(rest).length > FEW
  const cuts = asking.map(({ 0: asks, index }) => (isFirst ? index : index + asks.length))
  cuts.splice(isFirst ? 0 : -1, 1)
  return [0, ...cuts].map((cut, at) => sentence.slice(cut, cuts[at]))
}
