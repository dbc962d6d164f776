import type { SmallTalk } from '../word-groups.ts'

/** Italian. */
export const italian: SmallTalk = {
  talk:
    'ciao salve buongiorno buonasera buond- buonpomeriggio buon buona ehi ehila hey ehy hi hello graz ' +
    'ringrazi- favore piacere cortesia cortese gentil- plz please help sos prego domand- chied- chiest- ' +
    'chieder- curiosita dubbio dubbi aiut- qualcuno qualcun risposta risposte rispond- risposto urgen- ' +
    'veloce velocemente velocissima rapid- scus- perdon- disturbo dire dirmi dirci dimmi ditemi dica ' +
    'dicami mi spieg- sapere sapermi sa sai sanno sapete sapr- sapess- capire capito capisco capirci ' +
    'capisce cerco cercare cercando cercato trov- nuovo nuova novellino principiante inesperto inesperta ' +
    'neofita raga bro cordial- distinti breve brevemente sintetic- semplic- parole passo passaggi ' +
    'dettagliat- dettagli dettaglio esempio esempi chiar- scema scemo stupida stupido banale sciocca ' +
    'ignoranza confuso confusa haha vorrei vorremmo volevo volevamo potr- spero speriamo sperando attendo ' +
    'riscontro pazienza quesito spett spettabile porvi porre proposito possibile bacioni presto mille ' +
    'infinite senti senta allora ok okay perfetto ottimo bene ah comunque idea idee vado piacerebbe ' +
    'gradirei informazione informazioni interessa negato togliete togliermi raccomando essenziale boh ' +
    'insomma dunque vabbe prossimo basta bastano bastasse suggeriment- poi so provato riesco stai ahah- ' +
    'ciaoo- pazientare aspetto aspettando sorry asap thx thanks bye ps signori scritto problema problemi ' +
    'problemino importante arrivederci aspettato banalissima riesci imbranat- fretta cari carissim- ' +
    'egregi- stimati tks tnx graziee- rega bella cmq xfavore dritta dritte delucidazion- ragguagli lumi ' +
    'sfugge ignoro ignorante profano wtf omg urgente rapida rapido rapidamente',
  beside:
    'io me mio mia miei ci noi nostr- vi voi vostr- ti te tu tuo lei le gli lo la l il i un uno una altra ' +
    'altro ultima e ed o ma della del di dei delle degli dell dal da dalla a ad al agli alla ai all in ' +
    'nel nella nelle con col su sul sulla sui per tra fra sono siamo essere sia era stato stata ho hai ha ' +
    'abbia abbiate abbiamo avete hanno avere avrei avremmo avrebbe avuto avendo fare fate puo puoi potete ' +
    'possa possiate possiamo posso possono va ve vada sto stia stiate sta stanno qui qua gia ancora anche ' +
    'molto tanto tante tanta troppo piu cosi quindi pure adesso ieri due tre tutta tutti tutte queste ' +
    'questa questo quello quella questi cose volta volte ultimo parte certo subito dopo si nemmeno ne ' +
    'caso giorno giornata settimana mattina forum team assistenza servizio clienti segue seguente ' +
    'italiano righe frase riga povere bisogno appena arrivato letto provo riusciamo venirne perso persa ' +
    'esatta giusta giusto sicura sezione presente sentito alcuna cui cortesemente vuole magari forse dato ' +
    'pero purtroppo oppure d poche attenzione x richiesta serve sara alcun resto c stamattina mattinata ' +
    'settimane momento alcune parecchio sulle negli vediamo na mazza sarebbe modo maniera forma portate ' +
    'sbattere sbattendo fine qualche sorge viene sottoporre avessi cinque quattro anni vengo già attesa ' +
    'ragazzi',
  denials: 'non nn niente nulla nessuno nessuna nessun mai',
  documents: 'documentazione documenti documento fonte fonti secondo citando citare cita citate',
  asks: 'come quando quanto quanta quanti quante che chi quale quali qual dove perche se cosa',
  leads: '',
  ends: 'grazie perfavore pls grz ahahah lol',
  closings: 'saluti saluto cordialmente abbraccio baci grazie anticipo distintamente',
  requests:
    'aiut- spieg- dire dirmi dirci dimmi ditemi dica dicami cerco cercare cercando trov- idea idee ' +
    'suggeriment- dritta dritte informazione informazioni info vorrei voglio ricerca',
  names: 'signori capo collega colleghi signora signore ragazze cuore mondo domenica weekend serata pomeriggio testa',
  labels: 'numero nr ordine cliente fattura ticket riferimento pratica contratto telefono tel',
}
