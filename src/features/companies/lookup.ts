import { Failure } from '../../errors.ts'
import type { Manifest } from '../../markets/manifest.ts'
import type { Statements } from '../../postgres/client.ts'
import { nearNames } from '../../spelling.ts'
import type { FundamentalsDeps } from './deps.ts'
import {
  type EntityIdentity,
  findEntities,
  findNamed,
  neighbouringIds,
  type RegisterNumber,
} from './queries.ts'

const mostNamed = 10

/** The entities that IDs name, in their order. All that are unknown are named in one refusal. */
export async function resolveEntities(
  deps: FundamentalsDeps,
  tickers: readonly string[],
): Promise<EntityIdentity[]> {
  const found = await (deps.entities ? deps.entities.findAll(tickers) : findNamed(deps.sql, tickers))
  const entities: EntityIdentity[] = []
  const unknown: string[] = []
  for (const ticker of tickers) {
    const entity = found.get(ticker)
    if (entity === undefined) unknown.push(ticker)
    else entities.push(entity)
  }
  if (unknown.length === 0) return entities
  const near = await nearIds(deps.sql, deps.markets.manifests, unknown[0])
  const ofFirst = unknown.length === 1 ? '' : ` for ${unknown[0]}`
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}${ofFirst}?` : ''
  const more = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : ''
  const names = `${unknown.slice(0, mostNamed).join(',')}${more}`
  throw new Failure(
    'entity_unknown',
    `ticker=${names} ${unknown.length === 1 ? 'names no entity' : 'name no entities'} here.${hint} GET /api/search?q= finds an ID from a name, GET /api/v1/coverage/{id} from a register number.`,
    { param: 'ticker', near },
  )
}

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

export interface Candidates {
  /** IDs to look up, the one that was sent first. */
  readonly ids: string[]
  readonly numbers: RegisterNumber[]
}

const printable = /^[\x20-\x7e]+$/

/** Every ID and register number that `sent` can stand for: with and without the market's suffix, with and
 * without leading zeros, blanks and dots between digits left out. The forms come from the manifests. */
export function candidateIds(manifests: readonly Manifest[], sent: string): Candidates {
  const id = sent.trim().toUpperCase()
  if (!printable.test(id)) return { ids: [], numbers: [] }
  const ids = new Set([id])
  const numbers: RegisterNumber[] = []
  for (const manifest of manifests) {
    const suffix = manifest.id.suffixes.find(ending => id.endsWith(ending))
    const number = registerNumber(manifest, suffix === undefined ? id : id.slice(0, -suffix.length))
    if (number === null) continue
    const spellings = new Set([number, number.padStart(manifest.issuer.digits ?? 0, '0')])
    for (const spelling of spellings) {
      numbers.push({ market: manifest.code, issuerId: spelling })
      for (const ending of manifest.id.suffixes) ids.add(`${spelling}${ending}`)
    }
  }
  for (const manifest of manifests) {
    for (const ending of manifest.id.suffixes) {
      const whole = `${id}${ending}`
      if (new RegExp(manifest.id.pattern).test(whole)) ids.add(whole)
    }
  }
  return { ids: [...ids], numbers }
}

function registerNumber(manifest: Manifest, text: string): string | null {
  const pattern = new RegExp(manifest.issuer.pattern)
  const compact = text.replaceAll(/[\s./-]/g, '')
  return pattern.exec(compact)?.[1] ?? null
}
