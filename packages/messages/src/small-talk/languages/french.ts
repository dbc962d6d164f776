import type { SmallTalk } from '../word-groups.ts'

/** French. */
export const french: SmallTalk = {
  talk:
    'bonjour bonsoir salut slt bjr bsr coucou hello hey hi yo wesh wsh re mercis remerci- plait plais ' +
    'question questions interrogation reponse reponses repondre repondez repondrez reponds repond repondu ' +
    'aide aider aidez aiderait aidera aidiez aidier sos help quelqu qqn qqun urgent urgence urge vite ' +
    'rapide rapidement rapidos cordial- salutation- distinguees sinceres bise bonne belle excellente ' +
    'desole desolee dsl pardon pardonn- excus- derange deranger permets permettez poser pose posee dire ' +
    'dis dites dit expliqu- explication explications eclairer eclairez eclairci- indiquer indiquez savoir ' +
    'sais sait savez sachant saurait sauriez saura comprend- comprenn- compris comprise pige capte ' +
    'cherche cherchee chercher trouv- debute debutant debutante nouveau nouvelle novice noob bref breve ' +
    'brievement concis court courte simple simples simplement mots phrase phrases etape etapes detail ' +
    'details detaille detaillee exemple exemples clair clairement succinct- idee idees bete idiote ' +
    'stupide conne ptdr souhait- voudrais voudrait aimerais aimerait espere esperant demande demander ' +
    'demandais besoin prie agreer galere galerer courage amabilite patience indulgen- alors renseign- ' +
    'repasse grace chers chere cheres ailleurs voila euh ah oh ok okay daccord super parfait genial cool ' +
    'sinon curiosite desespoir seche souci interroge reviens celui clarifier clarification obligeance ' +
    'avancee infiniment volontiers bientot contacte chose choses aussi voici bien bons essaye precise ' +
    'precisez preciser precision suffit suffisent suppose avoue essayer reprends trancher doue sorry asap ' +
    'thx thanks bye ps madame monsieur mesdames messieurs probleme problemes soucis important jcomprends ' +
    'jsais tchao ciao jpp essaie jtrouve largue larguee paume paumee patauge douee fouille depanner ' +
    'agreable rebonjour cimer mec jpige jcherche jaimerais jvoudrais wtf omg piste pistes con excuses ' +
    'amabilité gentillesse gentiment attente bon',
  beside:
    'je j ai me m moi mon ma mes nous notre nos vous votre vos tu te toi t ton il elle on ce c est cet ' +
    'cette cela ca ceci ceux que qu et mais donc s suis sont ete etait serait serais seriez seraient ' +
    'pourrais pourrez pouvoir peut puis puisse pourra pourront as a avez avoir aurait aurais aura faites ' +
    'vais va allez aller le la les l un une des du de d au aux en dans sur sous pour par avec depuis chez ' +
    'vers ne n y plus tres tout toute tous toutes meme deja encore ici comme car afin enfin juste deux ' +
    'trois cinq matin journee end fin heures jours hier ans point partout quelque quelques hasard part ' +
    'peu beaucoup bcp pres suite autre autres derniere mille fois maintenant vraiment petit petite ' +
    'possible lire suivante suivant retour bon z forum equipe team communaute francais recherche ' +
    'recherches lignes mot tel expression perdu perdue lance etre vrai sens reste ci jai jsuis chui ' +
    'jarrive arrive arrivais arrivons lu vois fini completement totalement rond sujet voulais veux ' +
    'veuillez voulez voulu voudriez dessus endroit tard doute sure complique prealable tant pis fait ' +
    'tourne toujours grand grande auriez posees soyez vas midi recevoir croire serai seront ferait ' +
    'apparemment visiblement facon maniere sorte avais coup main continuation jour pratique ya regarde ' +
    'quatre dernier à accord lanterne',
  denials: 'pas rien aucun aucune personne jamais nulle',
  documents: 'doc docs documentation documents document apres selon source sources lien cite citez citer',
  asks: 'comment quand quel quelle quels quelles qui quoi combien pourquoi ou si',
  leads: '',
  ends: 'svp stp merci please pls plz mrc mci lol mdr',
  closings:
    'cordialement cdlt cdt bises bisous salutations merci avance sincerement amicalement amities ' +
    'respectueusement chaleureusement',
  requests:
    'aide aider aidez aiderait aidera aidiez help dire dis dites dit expliqu- explication explications ' +
    'eclairer eclairez indiquer indiquez cherche cherchee chercher trouv- idee idees renseign- piste ' +
    'pistes donner donne info infos information informations peux pouvez pourrait pourriez',
  names: 'mec chef collegue collegues gars gens monde personne soiree weekend week',
  labels: 'numero no commande client dossier facture ticket reference contrat telephone tel',
}
