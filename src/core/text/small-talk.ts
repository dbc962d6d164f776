/** Sentences that people write around a question and that ask nothing: courtesy, and talk about the asking. English. */
import { asksOfItsOwn, limits } from './asks.ts'
import { terms } from './terms.ts'

/**
 * To greet, thank and part; to apologise; to ask for help; to say what one knows, thinks and has tried, whom one asks, how
 * much and how often; and what is left of shortened words, cut at the apostrophe or written without it. No word names a
 * thing that a question could be about: neither one of a collection, nor one of everyday life. One word stands for all of
 * its stem, so none whose stem is there already; by the alphabet.
 */
const TALK: ReadonlySet<string> = new Set(
  terms(`
   ability able across actual additional address admit advance advice advise afternoon agree ain almost already
   alright although always amateur amount another answer anxious anybody anyone anything anyway anywhere apologise
   apology apparent appear appreciate approach appropriate area aren asap ask aspect assist assume attempt attention
   avail aware awesome background basic bear begin beginner believe belong benefit best better big bother brief
   bunch busy bye call came cant capable care case category certain certainly chance check cheers choice
   circumstance clarification clarify clear clearly closely clue clueless come comment commonly compare complete
   condition confidence confirm confuse consider considerable constantly context continue correct correctly couldn
   couldnt couple curious current dear deep deeply definitely describe detail didn didnt differ difficult difficulty
   direction directly discuss disturb doc documentation doesn doesnt done dont doubt due dumb duplicate early ease
   easily easy effort else elsewhere encounter end enjoy enlighten enquiry ensure entire especially even eventually
   ever everybody everyone everything everywhere exactly example excuse exist experience experienced expert explain
   explanation explore extremely fact fail fairly fall familiar faq far feedback feel fellow figure finally find
   fine first fix folks follow forget forgive forgot former forum found frequently fresh frustrate full fully gather
   general gentle gentlemen get give given go good google got grand grateful gratefully gratitude great greatly
   greetings guarantee guess guidance guide guys hadn happen hard hardly hasn haven havent havn hear hello help
   helpless hey hi highly hint honestly hope hopefully hour however id idea ignorant im imagine important impossible
   include inconvenience incorrect incredibly info inform input inquiry insight instead intend intention interest
   internet introduce investigate involve isn isnt issue item ive keep kind kindly know knowledge known lack large
   last latter learn least less let like line literally little long look lost lot m madam made main mainly major
   make manual many matter may maybe mean meant mention merely might mind mine minor miss mistake moment morning
   mostly much naive naturally nearly necessarily necessary need never nevertheless new newbie newcomer next nice
   nobody none noob nothing novice nowhere number numerous obliged obtain obvious obviously occasionally occur offer
   often ok okay online opinion opposite option original otherwise overall overlook page pardon part particular
   particularly past patience perfectly perhaps pick piece place plain plan please plenty point pointer positive
   possible post precise prefer prepare present pretty previous previously priority probably problem proceed
   progress proper properly provide purpose put puzzled query question quick quickly quite rarely rather reach read
   ready realise realize really reason recent recommend redundant regard regular regularly relate relatively
   relevant remain remember remind repeat reply report repost request resolve resort resource respect respectfully
   respond response result right sadly said sake satisfied saw say scratch search second see seem seemingly seen
   sense separate seriously several share short shouldn show side significantly silly similar simple simply since
   sincerely single sir site situation skip slightly slip slow small solution solve somebody someone something
   sometimes somewhat somewhere soon sorry sort sound speak specific specify spend spent stand standard start step
   still strange strongly struggle stuck stuff stumped stupid succeed success suddenly suggest support suppose sure
   take taken talk task tell thank thing think third thorough thoroughly though thought thread thx time tip title
   today together tomorrow ton tonight topic totally tough tricky tried trivial truly try turn ty type typical
   unable unclear understand understood unfortunately unsure unusual urge urgent use usual vague valid various view
   wait want wasn waste way website welcome well weren whatsoever whether whole wholly willing wish within without
   won wonder wont word wouldn wrong wrote yesterday yet`),
)

/** Said with words that are otherwise no talk: "nothing works", "it is driving me crazy". */
const IDIOMS =
  /\b(?:(?<=not |n['’]t |nothing )work(?:s|ed|ing)?|driv(?:es?|ing) me (?:crazy|nuts|mad)|pull(?:ing|ed)? my hair out|work(?:ed)? (?:it|this|things) out|at my wits['’]? end)\b/gi

/**
 * Whether a sentence asks nothing of its own: every word of it is one that people say around questions, and where it asks, or
 * tells to do something, it is for help with what stands beside it (`asksOfItsOwn`).
 *
 * @returns `false` for one without a term, which belongs to what stands beside it
 */
export function isSmallTalk(sentence: string): boolean {
  const found = terms(sentence.replaceAll(IDIOMS, 'problem'))
  return found.length > 0 && found.every((term) => TALK.has(term)) && !asksOfItsOwn(sentence)
}

/** Whether a clause may be cut off its sentence: small talk that does not limit what is asked. */
export function isTalkBeside(clause: string): boolean {
  return isSmallTalk(clause) && !limits(clause)
}
