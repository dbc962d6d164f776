import { describe, expect, it } from 'vitest'
import { partedInOthers } from '../../../src/language/english/other-languages.ts'
import { questionParts } from '../../../src/language/english/question-parts.ts'

describe('questions in other languages that are run together', () => {
  it.each([
    ['German', ['Wie alt war der Verteidiger', 'Wie entstand die Schlucht?']],
    ['German, in small letters', ['in welchem jahr wurde die brücke gebaut', 'was kostet ein neues fahrrad?']],
    ['Spanish', ['Cuántos puntos anotó el equipo', 'Qué causa la lluvia?']],
    ['French', ['Quelle équipe a gagné la coupe', 'Où se trouve le stade?']],
    ['Portuguese', ['Quem descobriu a ilha', 'Onde fica o estádio?']],
    ['Romanian', ['Câte puncte a marcat echipa', 'Când a fost construit castelul?']],
    ['Russian', ['Сколько очков набрала команда', 'Где находится стадион?']],
    ['Greek', ['Πόσους πόντους πέτυχε η ομάδα', 'Πού βρίσκεται το στάδιο;']],
    ['Arabic', ['كم عدد النقاط التي سجلها الفريق', 'أين يقع الملعب؟']],
    ['three of them', ['Wer baute die Brücke', 'Wann fährt der Zug', 'Warum regnet es heute?']],
  ])('%s: are parted before a word that asks', (_, parts) => {
    expect(questionParts(parts.join(' ')).parts).toEqual(parts)
  })

  it.each([
    ['Turkish', ['Süper Kupayı hangi', 'takım kazandı stadyum nerededir?']],
    ['Vietnamese', ['Đội nào', 'đã thắng trận chung kết sân vận động nằm ở đâu?']],
    ['Hindi', ['टीम ने कितने', 'अंक बनाए स्टेडियम कहाँ स्थित है?']],
  ])('%s: are parted behind one where no question begins with it', (_, parts) => {
    expect(questionParts(parts.join(' ')).parts).toEqual(parts)
  })

  it.each([
    ['Chinese', ['球队得了多少', '分体育场在哪里?']],
    ['Chinese, three of them', ['球队得了多少', '分体育场在哪', '里谁建了它?']],
    ['Thai', ['ทีมได้คะแนนกี่', 'คะแนนสนามกีฬาอยู่ที่ไหน']],
  ])('%s: without spaces', (_, parts) => {
    expect(questionParts(parts.join('')).parts).toEqual(parts)
  })

  it.each([
    'In welchem Jahr wurde die Universität gegründet?',
    'Welcher Spieler war der älteste, der je eine Meisterschaft gewann?',
    'Weißt du noch, wer die Brücke gebaut hat?',
    'Was ist bekannt darüber, wer die Brücke gebaut hat?',
    'En qué año se fundó la universidad?',
    'В каком году был основан университет?',
    'Üniversite hangi yılda kuruldu?',
    '大学是哪一年成立的?',
  ])('one question stays whole: %s', (question) => {
    expect(questionParts(question).parts).toEqual([question])
  })

  it('are left to the words of English where these ask', () => {
    expect(questionParts('Who was the man that was the first mayor?').parts).toHaveLength(1)
    expect(partedInOthers('the man that was the first mayor')).toEqual(['the man that was the first mayor'])
  })
})
