/** Sentences that people write around a question and that ask nothing: courtesy, and talk about the asking. English. */
import { terms } from './terms.ts'

/** By what they are said for. None names a thing that a collection could be about, or that somebody could ask for. */
const SAID_AROUND_QUESTIONS = [
  // To greet, to thank and to part.
  `hi hello hey dear good morning afternoon evening greetings welcome everyone everybody folks guys team sir madam
   gentlemen members people soul thanks thank thankful thx ty cheers regards best kind kindly sincerely bye friend
   appreciate appreciation grateful gratitude obliged wish luck hope well fine advance`,
  // To apologise, and to make oneself small.
  `sorry apology apologies apologize apologise excuse pardon forgive bother disturb trouble inconvenience stupid
   silly dumb naive basic simple obvious trivial newbie noob novice beginner newcomer amateur ignorance ignorant
   clueless duplicate repeat repost redundant dead standard fault incorrect bear mind patient patience gentle`,
  // To ask, and to ask for help.
  `question query inquiry enquiry ask request point recommend issue problem matter answer reply respond response
   pointer hint tip advice advise idea clue guide guidance suggestion suggest recommendation input insight feedback
   thought opinion direction solution help assist assistance support clarify clarification enlighten explain
   describe mention discuss address tell speak let offer share provide leave please`,
  // To say what one knows, thinks and feels.
  `know known knowledge familiar experience experienced learn assume stumped wonder curious interested sure unsure
   certain clear unclear confuse confusion puzzled lost stuck struggle understand understood think guess suppose
   believe feel seem seemingly appear figure sense wrong right miss mistake slip correct frustrate desperate crazy
   mad nuts drive driven fresh head wits end mess impossible able unable possible possibly perhaps maybe hopefully
   unfortunately honestly sadly probably obviously apparently basically actually admit ok okay`,
  // To say where one looked, and what came of it.
  `look search google tried tries searched internet online forum thread post site website page doc documentation
   manual faq read find found anywhere nowhere everywhere elsewhere somewhere info information detail come came
   across turn see saw seen check try attempt effort report resource success successful succeed avail fail work
   solve resolve fix nothing anything something everything none thing stuff way result place case situation exist
   belong topic category type sort item follow put pick wait waste relate`,
  // How much, how long and how often.
  `much many lot bunch ton million bit little great greatly highly deeply nice wonderful awesome really truly quite
   rather pretty relatively fairly somewhat totally completely extremely quick quickly short brief easy hard
   difficult several various numerous different situations solutions similar single couple almost nearly another
   same long while time early hour day week month year yesterday today tomorrow tonight recently lately already
   still yet finally ever never always soon asap urgent urgently first last next far new old else also even though
   however anyway without within`,
  // Whom one asks, and verbs that say little alone.
  `since until although whether because done being anyone anybody someone somebody nobody person expert mine like
   love want need get got give given take taken make made go going happen start begin keep say said job task
   homework assignment boss colleague deadline would could might may use`,
  // Verbs, adverbs and measures of any talk: none of them names what a sentence is about.
  `accept achieve agree allow answerable avoid become behave bring call care choose comment compare complain
   complete concern confirm consider continue decide decided deal depend differ do done encounter end enjoy ensure
   examine exclude expect explore fall follow forget forgot gather grateful gratefully guarantee hear hold imagine
   improve include inform intend introduce investigate involve keep lack lead leave listen live lose mean meant
   meet notice obtain occur overlook plan prefer prepare prevent proceed prove pull push raise reach realise
   realize received refer regard remain remember remind remove resort scratch show skip sound specify stand stay
   step stop switch talk thank understand urge walk watch worry write written wrote spend spent`,
  `certainly clearly closely commonly constantly correctly currently definitely directly easily entirely especially
   eventually exactly frequently fully generally gladly happily happy hardly incredibly instead largely literally
   mainly merely mostly naturally necessarily necessary nevertheless normally occasionally often otherwise
   particularly patiently perfectly personally precisely previously properly rarely regularly respectfully
   seriously significantly simply slightly sometimes specifically specific strongly suddenly surely though
   thoroughly together unable usually whatsoever wholly`,
  `actual additional afraid alone alright anxious apparent appropriate available aware bad better big brief busy
   capable careful common comfortable complicated considerable convenient current deep due entire former full
   further general glad grand half helpless huge hundred important large late latter least less likely main major
   minor necessary normal opposite ordinary original other overall particular past personal plain pleased positive
   possible precise present previous proper ready real reasonable recent regular relevant rest satisfied second
   separate serious simple slow small special specific strange sudden term third thousand thorough tough tricky
   true typical unusual usual useful valid vague whole willing worse worst young`,
  `ability amount approach area aspect attention background benefit bunch care chance choice circumstance comment
   concern condition confidence consideration context difference difficulty doubt ease example experience
   explanation fact fellow hair hope intention interest kind lesson limit line look luck meaning moment need notice
   number obstacle option part piece plenty point possibility priority progress purpose reason regard respect sake
   scratch search side sign skill sort start step story stress sum term thanks thinking title today trial truth
   type use view week while word worry`,
  // What is left of shortened words, cut at the apostrophe or written without it.
  `couldn wouldn shouldn isn wasn aren weren haven havn hasn hadn didn doesn won ain couldnt cant dont didnt doesnt
   isnt wont havent im ive id ll d m ve`,
]

const TALK: ReadonlySet<string> = new Set(SAID_AROUND_QUESTIONS.flatMap(terms))

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
