/** What a list says of itself beside its rows, for a file that can carry it: texts as they are, the rest as JSON. */
export function aboutList(list: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(list)
      .filter(([name, value]) => name !== 'data' && value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}
