/** Shared by index adapters: passages in rows of other programs, namespaces, embedding vectors. */
export { embeddedVector, questionVector, readEmbeddings, requireDimension } from './embeddings.ts'
export { onceEach } from './once-each.ts'
export {
  FIELDS_OPTION,
  filteredMember,
  type IndexRow,
  type PassageField,
  type PassageFields,
  passageOfRow,
} from './passage-fields.ts'
export { namespaceShared, placesOf, type RetrieverWarning, rowsWithoutText, shown } from './retriever-warnings.ts'
export { NAMESPACE_OPTIONS, namespaceChoice, type NamespaceOptions } from './searched-namespace.ts'
