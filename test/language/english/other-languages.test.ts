import { describe, expect, it } from 'vitest'
import { partedInOthers } from '../../../src/language/english/other-languages.ts'
import { questionParts } from '../../../src/language/english/question-parts.ts'

describe('questions in other languages in one sentence', () => {
  it.each([
    ['German', ['Wie alt war der Verteidiger', 'Wie entstand die Schlucht?']],
    ['German, in small letters', ['in welchem jahr wurde die brücke gebaut', 'was kostet ein neues fahrrad?']],
    ['Spanish', ['Cuántos puntos anotó el equipo', 'Qué causa la lluvia?']],
    ['French', ['Quelle équipe a gagné la coupe', 'Où se trouve le stade?']],
    ['Portuguese', ['Quem descobriu a ilha', 'Onde fica o estádio?']],
    ['Romanian', ['Câte puncte a marcat echipa', 'Când a fost construit castelul?']],
    ['Russian', ['Сколько очков набрала команда', 'Где находится стадион?']],
    ['Russian, whom', ['Когда построили мост', 'кого выбрали мэром?']],
    ['Russian, why and where to', ['Зачем построили мост', 'куда течёт река?']],
    ['Greek', ['Πόσους πόντους πέτυχε η ομάδα', 'Πού βρίσκεται το στάδιο;']],
    ['Arabic', ['كم عدد النقاط التي سجلها الفريق', 'أين يقع الملعب؟']],
    ['Arabic, who', ['من صمم الجسر القديم', 'من الذي بنى القلعة؟']],
    ['Arabic, who does', ['ما هو أقدم جسر في المدينة', 'من يدير الملعب القديم؟']],
    ['Arabic, who is the one that', ['أين يقع الملعب', 'من الشاعر الذي كتب القصيدة؟']],
    ['Arabic, and how', ['متى يقام حفل التخرج', 'وكيف أطبخ الكبسة؟']],
    ['Arabic, and what', ['كم أجرة الغرفة الفردية', 'وما مدة برنامج الماجستير؟']],
    ['Arabic, with whom', ['كم عدد النقاط التي سجلها الفريق', 'مع من لعب المباراة؟']],
    ['Vietnamese, why', ['Ai xây cây cầu này', 'vì sao trời mưa?']],
    ['three of them', ['Wer baute die Brücke', 'Wann fährt der Zug', 'Warum regnet es heute?']],
  ])('%s: are split before a question word', (_, parts) => {
    expect(questionParts(parts.join(' ')).parts).toEqual(parts)
  })

  it.each([
    ['Turkish', ['Süper Kupayı hangi', 'takım kazandı stadyum nerededir?']],
    ['Turkish, who and what', ['Süper Kupanın kaptanı kimdir', 'stadyumun adı nedir?']],
    ['Turkish, whether', ['Kaptan gol attı mı', 'stadyum nerededir?']],
    ['Turkish, whether you', ['Bize katılır mısınız', 'stadyum nerededir?']],
    ['Vietnamese, how many', ['Có bao nhiêu', 'đội đã thắng sân vận động nằm ở đâu?']],
    ['Vietnamese, who', ['Đội trưởng là ai', 'đã thắng trận chung kết sân vận động nằm ở đâu?']],
    ['Vietnamese', ['Đội nào', 'đã thắng trận chung kết sân vận động nằm ở đâu?']],
    ['Hindi, where as it is also written', ['शहर का स्टेडियम कहां', 'स्थित है बारिश क्यों होती है?']],
    ['Hindi', ['टीम ने कितने', 'अंक बनाए स्टेडियम कहाँ स्थित है?']],
  ])('%s: are split after one when questions do not begin with it', (_, parts) => {
    expect(questionParts(parts.join(' ')).parts).toEqual(parts)
  })

  it.each([
    ['Chinese', ['球队得了多少', '分体育场在哪里?']],
    ['Chinese, three of them', ['球队得了多少', '分体育场在哪', '里谁建了它?']],
    ['Thai, which', ['ทีมใด', 'ชนะการแข่งขันสนามกีฬาอยู่ที่ไหน']],
    ['Thai, how', ['ทีมชนะอย่างไร', 'สนามกีฬาอยู่ที่ไหน']],
    ['Thai', ['ทีมได้คะแนนกี่', 'คะแนนสนามกีฬาอยู่ที่ไหน']],
    ['German, before a capital', ['Wer baute die Brücke', 'Wann fährt der letzte Zug?']],
    ['German, after an umlaut', ['Wann gab es das Menü', 'Wie alt war der Verteidiger?']],
    ['Russian, before a capital', ['Когда построили мост', 'Кто открыл остров?']],
    ['Greek, before a capital', ['Πόσους πόντους πέτυχε η ομάδα', 'Πού βρίσκεται το στάδιο?']],
    ['French, before a word of two letters', ['Quelle équipe a gagné', 'Où se trouve le stade?']],
  ])('%s: are split without spaces', (_, parts) => {
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
    'ما هي المسافة من المدينة إلى الملعب؟',
  ])('are not split when there is only one question: %s', (question) => {
    expect(questionParts(question).parts).toEqual([question])
  })

  it.each([
    'Wie lösche ich ein MariaDb Konto im PhpMyAdmin Werkzeug?',
    // Those of other languages: "ai", "quant", "cine", "welch".
    'How do I use OpenAi embeddings in Python?',
    'When was MaxQuant released?',
    'What is the HomeCinema setup for two speakers?',
    'Is there a limit for StabilityAi requests per minute?',
    'Can JackWelch be cited here?',
  ])('a capital within a name does not split it: %s', (question) => {
    expect(questionParts(question).parts).toEqual([question])
  })

  it('are split after each but the last when little follows it', () => {
    expect(partedInOthers('Wer kam wann an und wie alt')).toEqual(['Wer kam', ' wann', ' an und wie alt'])
  })

  it('are not split at English words that are question words elsewhere', () => {
    expect(questionParts('Who was the man that was the first mayor?').parts).toHaveLength(1)
    expect(partedInOthers('the man that was the first mayor')).toEqual(['the man that was the first mayor'])
  })
})
