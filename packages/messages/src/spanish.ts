import { type Texts, textsOf } from './phrases.ts'

/** Spanish. */
export const SPANISH: Texts = /* @__PURE__ */ textsOf({
  cannot: 'No puedo responder a esta pregunta con los documentos disponibles. ',
  notConfirmed: 'No puedo dar una respuesta que los documentos disponibles confirmen.',
  stop: '.',
  sentences: {
    nothingFound: 'No se encontró información pertinente en los documentos',
    unjudged: 'No se pudo evaluar si los documentos la respaldan',
    tooLong: 'Los pasajes encontrados son demasiado largos para leerlos',
    ruledOut: 'Una regla de este servicio la excluye',
    unreadable: 'Se puede leer muy poco de esta pregunta',
    tooShort: 'La pregunta es demasiado corta para evaluarla',
    weak: 'La información encontrada no es lo bastante pertinente',
    few: 'No hay suficientes pruebas',
    unclear: 'Ninguno de los pasajes encontrados es claramente el mejor',
    unsupported: 'La respuesta decía algo que los documentos no dicen',
    uncheckable: 'La respuesta no decía nada que se pudiera comprobar',
    incomplete: 'La respuesta estaba incompleta',
    noPassage: 'Ningún pasaje respalda por sí solo la respuesta lo suficiente',
    limited: 'Las pruebas son limitadas: conviene revisar la respuesta',
    unusable: 'Solo orientativo: no usar',
    offTerms: 'Los pasajes contienen pocas palabras de la pregunta',
    partial: 'A la respuesta le faltan partes opcionales',
    unchecked: 'El control está desactivado: no se comprobó nada',
    cut: 'No todas las pruebas caben en el contexto',
  },
  suggestions: {
    rephrase: 'Reformular la pregunta con las palabras de los documentos',
    narrow: 'Preguntar una sola cosa a la vez',
    specify: 'Nombrar el producto, la versión, la persona o el lugar de que se trata',
    addDocuments: 'Añadir documentos sobre este tema',
    tryLater: 'Intentarlo más tarde',
    verify: 'Comprobar la respuesta con las fuentes indicadas',
    inLetters: 'Escribir la pregunta con letras, cifras y puntuación corriente, con espacios entre las palabras',
    inSentence: 'Preguntar con una frase y decir qué se quiere saber',
  },
})
