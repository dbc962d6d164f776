/** Sentences that people write around a question and that ask nothing: courtesy, and talk about the asking. English. */
import { terms } from './terms.ts'

/**
 * To greet, thank and part; to apologise; to ask for help; to say what one knows, thinks, feels and has tried, whom one
 * asks, how much and how often; and what is left of shortened words, cut at the apostrophe or written without it. No word
 * names a thing that a collection could be about, or that somebody could ask for. One word stands for all of its stem, so
 * none whose stem is there already; by the alphabet.
 */
const TALK: ReadonlySet<string> = new Set(
  terms(`
   ability able accept achieve across actual additional address admit advance advice advise afraid afternoon agree
   ain allow almost alone already alright although always amateur amount another answer anxious anybody anyone
   anything anyway anywhere apologise apology apparent appear appreciate approach appropriate area aren asap ask
   aspect assignment assist assume attempt attention avail avoid aware awesome background bad basic bear become
   begin beginner behave believe belong benefit best better big bit boss bother brief bring bunch busy bye call came
   cant capable care case category certain certainly chance check cheers choice choose circumstance clarification
   clarify clear clearly closely clue clueless colleague come comfortable comment common commonly compare complain
   complete complicated concern condition confidence confirm confuse consider considerable constantly context
   continue convenient correct correctly couldn couldnt couple crazy curious current d day dead deadline deal dear
   decide deep deeply definitely depend describe desperate detail didn didnt differ difficult difficulty direction
   directly discuss disturb doc documentation doesn doesnt done dont doubt drive driven due dumb duplicate early
   ease easily easy effort else elsewhere encounter end enjoy enlighten enquiry ensure entire especially even
   eventually ever everybody everyone everything everywhere exactly examine example exclude excuse exist expect
   experience experienced expert explain explanation explore extremely fact fail fairly fall familiar faq far fault
   feedback feel fellow figure finally find fine first fix folks follow forget forgive forgot former forum found
   frequently fresh friend frustrate full fully gather general gentle gentlemen get give given glad gladly go good
   google got grand grateful gratefully gratitude great greatly greetings guarantee guess guidance guide guys hadn
   hair half happen happily happy hard hardly hasn haven havent havn head hear hello help helpless hey hi highly
   hint hold homework honestly hope hopefully hour however huge hundred id idea ignorant im imagine important
   impossible improve include inconvenience incorrect incredibly info inform input inquiry insight instead intend
   intention interest internet introduce investigate involve isn isnt issue item ive job keep kind kindly know
   knowledge known lack large last late latter lead learn least leave less lesson let like limit line listen
   literally little live long look lose lost lot love luck m mad madam made main mainly major make manual many
   matter may maybe mean meant meet members mention merely mess might million mind mine minor miss mistake moment
   month morning mostly much naive naturally nearly necessarily necessary need never nevertheless new newbie
   newcomer next nice nobody none noob normal nothing notice novice nowhere number numerous nuts obliged obstacle
   obtain obvious obviously occasionally occur offer often ok okay old online opinion opposite option ordinary
   original otherwise overall overlook page pardon part particular particularly past patience patient people
   perfectly perhaps person pick piece place plain plan please plenty point pointer positive possible post precise
   prefer prepare present pretty prevent previous previously priority probably problem proceed progress proper
   properly prove provide pull purpose push put puzzled query question quick quickly quite raise rarely rather reach
   read ready real realise realize really reason received recent recommend redundant refer regard regular regularly
   relate relatively relevant remain remember remind remove repeat reply report repost request resolve resort
   resource respect respectfully respond response rest result right sadly said sake satisfied saw say scratch search
   second see seem seemingly seen sense separate serious seriously several share short shouldn show side sign
   significantly silly similar simple simply since sincerely single sir site situation skill skip slightly slip slow
   small solution solve somebody someone something sometimes somewhat somewhere soon sorry sort soul sound speak
   special specific specify spend spent stand standard start stay step still stop story strange stress strongly
   struggle stuck stuff stumped stupid succeed success sudden suddenly suggest sum support suppose sure switch take
   taken talk task team tell term thank thing think third thorough thoroughly though thought thousand thread thx
   time tip title today together tomorrow ton tonight topic totally tough trial tricky tried trivial trouble true
   truly truth try turn ty type typical unable unclear understand understood unfortunately unsure unusual urge
   urgent use usual vague valid various view wait walk want wasn waste watch way website week welcome well weren
   whatsoever whether whole wholly willing wish within without wits won wonder wont word work worry worse worst
   wouldn write written wrong wrote year yesterday yet young`),
)

const ASKING_WORDS = 'what|which|who|whom|whose|when|where|why|how'
/** Begins with a request. */
const REQUESTS = new RegExp(
  `^(?:(?:and|but|so) )?(?:${ASKING_WORDS}|tell|explain|write|give|list|name|describe|show|find|make|say)\\b`,
  'i',
)
/** Asks for something within: "You would say that this is what?" */
const ASKS_WITHIN = new RegExp(`\\b(?:${ASKING_WORDS})\\b`, 'i')
/** Asks whether somebody can help: "Can anyone tell me what I do wrong?" */
const ASKS_FOR_HELP =
  /^(?:can|could|would|does|do|is|has|have)(?: any)? (?:you|one|someone|somebody|anyone|anybody|there|kind)\b/i
/** A request of one such word is talk, too: "What now?" */
const LEAST_REQUEST_TERMS = 2

/**
 * Whether a sentence or clause asks nothing: every word of it is one that people say around questions. A sentence that
 * holds no other word hides no other question.
 *
 * @returns `false` for one without a term, which belongs to what stands beside it
 */
export function isSmallTalk(sentence: string): boolean {
  const found = new Set(terms(sentence))
  for (const term of found) if (!TALK.has(term)) return false
  return found.size > 0 && (found.size < LEAST_REQUEST_TERMS || !requests(sentence))
}

function requests(sentence: string): boolean {
  if (REQUESTS.test(sentence)) return true
  return sentence.trimEnd().endsWith('?') && ASKS_WITHIN.test(sentence) && !ASKS_FOR_HELP.test(sentence)
}
