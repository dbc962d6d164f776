/** Questions in languages of which only the question words are known. */
import { words } from '../../core/text/words.ts'

/**
 * Beginnings of question words; those that end in a space are whole words. In this order: German; Spanish, Portuguese, French
 * and Italian; Romanian; Turkish; Vietnamese; Russian; Greek; Arabic; Hindi; none of them after a comma, where they begin a
 * relative clause. Then Chinese and Thai, which are written without spaces. A single pattern, because a list takes 47 bytes
 * more of the middleware's 42,000.
 */
export const ASKS =
  /(?<=^|[^,] )(?:w(?:e[rmn] |as |ie |ann|arum|o |elch)|qu(?:é|i[eé]n|el |elle|em |al |ale |ant)|cuá|cómo|d?[óo]nde|où |combien|pourquoi|cine|ce |când|unde|câ[tț]|kim(?: |dir)|ne(?: |re|dir|den )|nasıl|m(?:[ıuü](?= )|[ıiuü](?:s[ıiuü]n|y[ıi]m))|hangi|kaç|gì|ai(?= )|[vt]\S+ sao |bao [gln]|đâu|nào|ко(?:го|му) |кто|что |где|когда |почему|зачем|куда|ли |как|сколько|ποι|τι |πού |πότε|πώς|γιατί|πόσ|و?(?:ماذا|ما |من (?:[هتيل]|ال(?:\S+ ال)?[ذت]ي )|متى|أي|لماذا|كيف|كم |هل )|مع من |^من |क्य|कौन|कहा[ँं]|कब |कैसे|कितन|किस)[\p{L}\p{M}]*|什[么麼]|谁|哪|多少|如何|怎|อะไร|อย่างไร|ยังไง|เมื่อไ|เท่าไ|ใคร|ไหน|ไหม|ใด|กี่|ทำไม/giu

/** A question counts as beginning with a question word if fewer words come before the first, and more from the last one on. */
const FEW = 2

/** Splits a sentence before each question word but the first or, if it does not begin with one, after each but the last. */
export function partedInOthers(sentence: string): readonly string[] {
  const asking = [...sentence.matchAll(ASKS)]
  const [before, rest] = [sentence.slice(0, asking[0]?.index), sentence.slice(asking.at(-1)?.index)]
  const isFirst = words(before).length < FEW && words(rest).length > FEW
  const cuts = asking.map(({ 0: asks, index }) => (isFirst ? index : index + asks.length))
  cuts.splice(isFirst ? 0 : -1, 1)
  return [0, ...cuts].map((cut, at) => sentence.slice(cut, cuts[at]))
}
