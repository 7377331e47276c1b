/** What a test goes through, or searches for something that must not be there. Throws where there is nothing: such a test would pass
 * without having checked anything. */
export function nonEmpty<Item>(items: Iterable<Item> | null | undefined): readonly Item[] {
  const found = [...(items ?? [])]
  if (found.length === 0) throw new Error('There is nothing to check.')
  return found
}
