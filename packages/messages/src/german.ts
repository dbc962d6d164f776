import { type Texts, textsOf } from './phrases.ts'

/** German. */
export const GERMAN: Texts = /* @__PURE__ */ textsOf({
  cannot: 'Anhand der vorhandenen Dokumente kann ich diese Frage nicht beantworten. ',
  notConfirmed: 'Ich kann keine Antwort geben, die die vorhandenen Dokumente bestätigen.',
  stop: '.',
  sentences: {
    nothingFound: 'In den Dokumenten wurde nichts Passendes gefunden',
    unjudged: 'Es ließ sich nicht beurteilen, ob die Dokumente sie tragen',
    tooLong: 'Die gefundenen Stellen sind zu lang, um gelesen zu werden',
    ruledOut: 'Eine Regel dieses Dienstes schließt sie aus',
    unreadable: 'Von dieser Frage ist zu wenig lesbar',
    tooShort: 'Die Frage ist zu kurz, um beurteilt zu werden',
    weak: 'Was gefunden wurde, passt nicht gut genug zur Frage',
    few: 'Es gibt zu wenige Belege',
    unclear: 'Unter den Fundstellen ist keine eindeutig die beste',
    unsupported: 'Die Antwort sagte etwas, das nicht in den Dokumenten steht',
    uncheckable: 'Die Antwort sagte nichts, das sich prüfen ließ',
    incomplete: 'Die Antwort war unvollständig',
    noPassage: 'Keine einzelne Stelle stützt die Antwort ausreichend',
    limited: 'Die Belege sind begrenzt: bitte prüfen',
    unusable: 'Nur ein Hinweis: nicht verwenden',
    offTerms: 'Die Fundstellen enthalten wenige Begriffe der Frage',
    partial: 'Der Antwort fehlen einzelne Teile',
    unchecked: 'Die Prüfung ist abgeschaltet: nichts wurde geprüft',
    cut: 'Nicht alle Belege passen in den Kontext',
  },
  suggestions: {
    rephrase: 'Anders fragen, mit den Wörtern der Dokumente',
    narrow: 'Nach einer Sache auf einmal fragen',
    specify: 'Produkt, Version, Person oder Ort nennen, um die es geht',
    addDocuments: 'Dokumente zu diesem Thema hinzufügen',
    tryLater: 'Später noch einmal versuchen',
    verify: 'Die Antwort anhand der genannten Quellen prüfen',
    inLetters: 'In Buchstaben, Ziffern und üblichen Satzzeichen schreiben, mit Leerzeichen zwischen den Wörtern',
    inSentence: 'In einem Satz fragen und nennen, was darüber gefragt ist',
  },
})
