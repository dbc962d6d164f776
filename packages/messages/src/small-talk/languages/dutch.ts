import type { SmallTalk } from '../word-groups.ts'

/** Dutch. */
export const dutch: SmallTalk = {
  talk:
    'hallo hoi hi hey hee heey hej he yo goedemorgen goeiemorgen goedemiddag goeiemiddag goedenavond ' +
    'goedeavond goeienavond goedendag goeiedag dag daag bedankje dankje dankuwel thanks thx merci alvast ' +
    'graag gaarne asjeblieft alsjeblief alstubl plz please vraag vraagje vraagjes vragen gevraagd navraag ' +
    'help helpen hulp helpt geholpen behulpzaam iemand antwoord antwoorden antwoordt antwoordje ' +
    'beantwoord- reactie reageren spoed dringend snel snelle sneller groet- vriendelijk- hartelijk- sorry ' +
    'excuses excuus pardon zeggen zegt zeg vertel vertellen verteld uitleg- uitgelegd leg toelicht- weten ' +
    'weet wist snap snappen snapt begrijp- begrepen gezocht zoeken zoek vinden gevonden vind nieuw ' +
    'nieuweling beginner leek newbie noob lol xd trouwens overigens apropos ff kort kortom korte bondig ' +
    'beknopt simpel simpele eenvoudig- woorden zin zinnetje zinnen stap stappen detail details ' +
    'gedetailleerd voorbeeld voorbeelden duidelijk- idee enig domme dom stomme stom rare geachte beste ' +
    'moeite hoop hopelijk verneem vernemen tegemoet belangstelling oke ok okay top super fijn fijne ' +
    'prettig prettige gek stoor storen geduld toevallig benieuwd vroeg afvraag gegoogeld genoeg volstaat ' +
    'hmm eh ehm nou ah oh oeps vandaar wanhopig radeloos verward lief lieve zinnig dingetje eentje ' +
    'geprobeerd haha- heej oei hello asap bye ps mevrouw held probeer bro probleempje belangrijk doei joe ' +
    'mogge goedenacht uitgezocht lukt uitkomen digibeet handig haast zsm spoedig- gauw luitjes ' +
    'tegenstrijdig- war tip tips afwachting doeg hai hoihoi goede goeie wtf omg joh haha vraagt',
  beside:
    'ik me mij mijn mn m we wij ons onze je jij jou jouw jullie u uw het t dit dat deze die de een er ' +
    'hier daar daarvoor daarvan daarover hierin hiermee hierover hierop en maar dus want als om te in uit ' +
    'aan van voor op o met bij over naar al nog wel ook eens misschien heb hebt heeft hebben had hebbie ' +
    'ben is zijn was zit zal zullen zou zouden zoudt wilde wou word wordt werd mag krijg krijgen gekregen ' +
    'laten laat kom komen kijken gekeken net uren week middag gisteren nu zo n hele heel erg zeer veel ' +
    'meer beetje proberen gaat ga echt hoor horen gehoord ander andere laatste kleine klein verder ' +
    'allemaal iedereen allen team klantenservice gewoon reuze nederlands volgend- volgt luidt gelezen ' +
    'keer vaker eerder steeds dingen ding juist af daarom even toch alle welkom twee drie vele fit uitkom ' +
    'snappie staat jip janneketaal maal s zeker gelijk goed nogmaals ervan echter best helemaal klaar ' +
    'mogelijk zie zien erbij daarmee dan mee uur daarna waarschijnlijk ingewikkeld ziet lukte zoiets ' +
    'probleem manier overal flauw technisch hartstikke medewerker klopt z l morgen vier vijf jaar oud ' +
    'verzoek forum',
  denials: 'niet niets niks nergens geen niemand nooit',
  documents: 'documentatie documenten bron bronnen bronvermelding volgens basis',
  asks: 'hoe wat wie waar wanneer waarom welke welk hoeveel hoelang waarmee waarvoor waarop of',
  leads: '',
  ends: 'bedankt aub alsjeblieft alstublieft pls thnx tnx svp ajb bvd haha',
  closings: 'groet groeten groetjes hoogachtend mvg gr bedankt dank dankjewel vooraf grt liefs voorbaat',
  requests:
    'help helpen helpt vertel vertellen zeg zeggen zegt uitleg- leg vinden vind zoeken zoek tip tips idee ' +
    'kan kun kunt kunnen kon konden wil wilt willen geef geeft nodig info informatie',
  names: 'mevrouw held collega collegas heer heren dames meneer mensen jongens medewerkers weekend avond',
  labels:
    'nummer nr bestelling bestelnummer klantnummer order ordernummer factuur factuurnummer ticket ticketnummer telefoonnummer',
}
