import type { SmallTalk } from '../word-groups.ts'

/** German. */
export const german: SmallTalk = {
  talk:
    'hallo hallochen hallihallo hi hey hej moin servus gruezi grussgott grusst tach ahoi huhu guten gutes ' +
    'schonen schones schone wunsche wunschen dankeschon dankbar merci thanks bitteschon please help sos ' +
    'frage fragen frag gefragt nachfragen nachfrage kurzfrage zwischenfrage anfrage anliegen hilfe hilf ' +
    'hilft weiterhelf- weiterhilf- geholfen behilflich jemand jmd irgendjemand irgendwer antwort ' +
    'antworten antworte antwortet beantwort- ruckmeldung rueckmeldung freundlich- liebe lieber liebes ' +
    'lieben herzlich- sorry sry entschuldig- verzeih- tschuldigung tschuldige leid dringend- eilt eilig ' +
    'schnell schnelle schnellstmoglich baldmoglichst asap schonmal btw ubrigens uebrigens apropos sagen ' +
    'sag sagt erklar- erklaer- erlauter- wissen weiss weisst wisst gewusst interessier- gesucht ' +
    'rumgesucht gegoogelt nachgeschaut nachgesehen finde finden findet gefunden fundig versteh- ' +
    'verstanden verstandlich kapier- check checke raff blick blicke kurz kurze kurzer kurzen kurzes knapp ' +
    'ausfuhrlich- detail details detailli- genaue einfach einfache einfachen worten satzen stichpunkt- ' +
    'stichwort- reicht reichen genugt schritt schritte schritten neu neuling laie noob newbie digga ' +
    'digger bro lol xd hmm ahm ah oh ok okay oki super toll prima perfekt cool top geehrt- geduld muhe ' +
    'hoffe hoffentlich dumm dumme blod blode bloed bloede doof doofe verwirrt hilfreich nett freue freuen ' +
    'warte idee ahnung ratlos verzweif- uberfordert aufgeschmissen gern gerne mitteilen verraten wundere ' +
    'bedanke weiterkomme planlos gespannt euch also na naja nun tja sache probiert versucht dankee- ' +
    'halloo- haha- kompakt kurzfassung wusste helf- hello bye ps fit kenne auskenne auskennt richtig ' +
    'wichtig eile tschuss ciao klar unklar geschrieben fyi hilflos ach tausend hoflich- hoeflich- ersuche ' +
    'erbitte widerspruchlich- nerve nervt vertippt ha wtf omg hoi salu sali pfiat dringend haha gute ' +
    'fragt',
  beside:
    'ich mir mich mein meine meinen meiner meinem wir uns unser- du dir dich dein deine deiner ihr ihre ' +
    'ihrem ihren ihrer ihnen sie eure eurer es er man das dies dieser diese diesem diesen die der dem den ' +
    'des ein eine einen einem einer nen ne ner nem und oder aber denn weil dass da dazu daran davon damit ' +
    'dafur darauf deshalb deswegen daher aus so zurecht an am auf aufm bei in im ins mit von vom fur um ' +
    'uber nach seit schon noch hier dort drin dran durch irgendwie irgendwo irgendwas weiter wieder her ' +
    'als auch zu jetzt gerade grad gestern morgen tag mittag nachmittag woche mehr sehr ganz ganze echt ' +
    'wirklich viel viele vielen vieles vielleicht vllt evtl etwas bisschen klein kleine sein ist war ware ' +
    'waren bin seid habe hab haben hat habt wird werden werde wurde wuerde wurden wuerden hatte haette ' +
    'hatten lassen machen komme komm kommt geht stehe steht steh sitz sitze bekommen bekomme erhalten ' +
    'brauchte gestellt benutzt gehort gelesen uberall einmal zweimal mehrmals hundertmal zwei drei stunde ' +
    'stunden tagen tun tut eigentlich doch halt eben gell moglich moglichst alle allerseits zusammen ' +
    'mitenand genau wende zeitnah zeitnahe zeitnaher baldige bald folgende- nachste letzte andere anderen ' +
    'verschiedene bestimmt sicher immer passendes beste besten bester deutsch anfanger forum community ' +
    'experten runde team support kundenservice chat nachricht beispiel beispiele beispielen satz satze ' +
    'wort verbunden storung ehrlich durcheinander klasse spitze komplett geworden neuer mal alter betreff ' +
    'kennt kennen raus heraus n s folgen minuten letzten schwer jemandem problem probleme ja vielmals ' +
    'vielmal allen lesen lese furs hange fest voran ewig unterschiedliche meinungen aussagen suchfunktion ' +
    'versehentlich null erfahrungen diesbezuglich bezuglich sachverhalt vier funf jahre fruh technisch ' +
    'teilen schlauch',
  denials: 'nicht nichts nix nirgends nirgendwo kein keine keinen niemand nie nich net leider weder',
  documents:
    'laut gemass anhand doku dokumentation dokumente dokumenten unterlagen quelle quellen quellenangabe ' +
    'quellenangaben link handbuch',
  asks: 'wie was wer wen wem wo wohin woher wann warum wieso weshalb welche- welch wozu wofur womit wieviel inwie- ob',
  leads: '',
  ends: 'bitte danke thx pls plz lg mfg',
  closings: 'grusse gruss grussen gruesse gruessen lg mfg vg bg danke dank voraus vorab hochachtungsvoll',
  requests:
    'erklar- erklaer- erlauter- sag sagt sagen hilf hilft help helf- weiterhelf- weiterhilf- verraten ' +
    'mitteilen finde finden findet idee interessier- schreibe gib geben gibt gibts kann kannst konnen ' +
    'konnt konnte- koennt- will wollt- mocht- moecht- brauche brauch suche rat tipp tipps anleitung info ' +
    'infos auskunft mach macht',
  names:
    'liebe gott chef chefin kollege kollegin kollegen frau herr herren damen leute zeit abend nacht ' +
    'feierabend wochenende kolleginnen',
  labels:
    'nummer nr bestellung bestellnummer kundennummer auftrag auftragsnummer rechnung rechnungsnummer ticket ticketnummer vorgang vertrag vertragsnummer telefon telefonnummer handynummer aktenzeichen',
}
