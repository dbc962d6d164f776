/** The members of an object whose values are not `undefined`. */
export function defined<Members extends object>(
  members: Members,
): { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  // The cast is safe: each member keeps its name.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof defined<Members>
  >
}
