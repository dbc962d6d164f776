import { type Texts, textsOf } from './phrases.ts'

/** French. */
export const FRENCH: Texts = /* @__PURE__ */ textsOf({
  cannot: 'Les documents disponibles ne me permettent pas de répondre à cette question. ',
  notConfirmed: 'Je ne peux pas donner de réponse que les documents disponibles confirment.',
  stop: '.',
  sentences: {
    nothingFound: 'Aucune information pertinente n’a été trouvée dans les documents',
    unjudged: 'Il n’a pas été possible d’évaluer si les documents y répondent',
    tooLong: 'Les passages trouvés sont trop longs pour être lus',
    ruledOut: 'Une règle de ce service l’exclut',
    unreadable: 'Une trop petite partie de cette question est lisible',
    tooShort: 'La question est trop courte pour être évaluée',
    weak: 'Les informations trouvées ne sont pas assez pertinentes',
    few: 'Il n’y a pas assez d’éléments',
    unclear: 'Aucun des passages trouvés n’est clairement le meilleur',
    unsupported: 'La réponse affirmait quelque chose que les documents ne disent pas',
    uncheckable: 'La réponse ne contenait rien de vérifiable',
    incomplete: 'La réponse était incomplète',
    noPassage: 'Aucun passage ne soutient suffisamment la réponse à lui seul',
    limited: 'Les éléments sont limités : à vérifier',
    unusable: 'À titre indicatif seulement : ne pas utiliser',
    offTerms: 'Les passages contiennent peu des mots de la question',
    partial: 'Il manque des parties facultatives à la réponse',
    unchecked: 'Le contrôle est désactivé : rien n’a été vérifié',
    cut: 'Tous les éléments ne tiennent pas dans le contexte',
  },
  suggestions: {
    rephrase: 'Reformuler la question avec les mots des documents',
    narrow: 'Demander une seule chose à la fois',
    specify: 'Nommer le produit, la version, la personne ou le lieu dont il s’agit',
    addDocuments: 'Ajouter des documents sur ce sujet',
    tryLater: 'Réessayer plus tard',
    verify: 'Vérifier la réponse avec les sources indiquées',
    inLetters: 'Écrire la question en lettres, chiffres et ponctuation ordinaire, avec des espaces entre les mots',
    inSentence: 'Poser la question en une phrase, en disant ce que vous voulez savoir',
  },
})
