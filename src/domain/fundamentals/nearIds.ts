import type { Manifest } from '../../model/market.ts'
import { findEntities } from '../../store/coverage/findEntities.ts'
import type { Statements } from '../../store/database.ts'
import { neighbouringIds } from '../../store/fundamentals/neighbouringIds.ts'
import { candidateIds } from './candidateIds.ts'
import { nearNames } from './nearNames.ts'

const most = 3
const longest = 16
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-'

/** Up to three IDs that may have been meant by one that is unknown: the entity whose register number it is,
 * then IDs one letter away or next to it. At most a thousand probes of a primary key. */
export async function nearIds(
  sql: Statements,
  manifests: readonly Manifest[],
  id: string,
): Promise<string[]> {
  const { ids, numbers } = candidateIds(manifests, id)
  if (ids.length === 0) return []
  const named = await findEntities(sql, ids, numbers)
  const found = new Set(named.map(entity => entity.ticker))
  if (found.size < most) {
    const spellings = id.length <= longest ? oneLetterAway(id) : []
    for (const name of nearNames(id, await neighbouringIds(sql, id, spellings), most)) found.add(name)
  }
  return [...found].slice(0, most)
}

function oneLetterAway(id: string): string[] {
  const spellings = new Set<string>()
  for (let at = 0; at <= id.length; at++) {
    const before = id.slice(0, at)
    for (const letter of letters) {
      spellings.add(before + letter + id.slice(at))
      if (at < id.length) spellings.add(before + letter + id.slice(at + 1))
    }
    if (at < id.length) spellings.add(before + id.slice(at + 1))
    if (at + 1 < id.length) spellings.add(before + id[at + 1] + id[at] + id.slice(at + 2))
  }
  spellings.delete(id)
  spellings.delete('')
  return [...spellings]
}
