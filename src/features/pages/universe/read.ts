import { daysBefore, type IsoDate } from '../../../dates.ts'
import { lastWholeDay } from '../../../instants.ts'
import { parseAsOf } from '../../../markets/asOf.ts'
import type { Rights } from '../../../rights/rights.ts'
import { idsOnDay } from '../../companies/lookup.ts'
import { dataVersionConflict, maxAttempts } from '../../fundamentals/read.ts'
import {
  type StateCount,
  type UniverseMove,
  type UniverseRecord,
  universeCounts,
  universeMoves,
  universePage,
} from '../../universe/queries.ts'
import type { Universe } from '../../universe/schema.ts'
import { planUniverse, readUniverse } from '../../universe/universe.ts'
import type { PageDeps } from '../deps.ts'
import type { UniversePageQuery } from './query.ts'

/** Companies per page. */
export const maxRows = 200
/** How many of the latest entries and exits are named. */
export const maxMoves = 20

/** A company that entered or left, as it was known on the day. */
export interface NamedMove extends UniverseMove {
  readonly company: UniverseRecord | null
}

export interface UniverseView {
  readonly list: Universe
  readonly counts: readonly StateCount[]
  /** All up to the day, the latest first. */
  readonly moves: readonly UniverseMove[]
  /** The latest of the twelve months up to the day. */
  readonly entries: readonly NamedMove[]
  readonly exits: readonly NamedMove[]
  /** How many there were in these months. */
  readonly entered: number
  readonly left: number
  /** IDs of the companies that name them on the day, by ticker; empty for today. */
  readonly ids: ReadonlyMap<string, string>
  /** The first day of these months. */
  readonly since: IsoDate
}

/** The universe of a day, all of one data version. It is metadata, which every visitor may see for every day. */
export async function readUniverseView(
  deps: PageDeps,
  rights: Rights,
  { market = 'US', ...sent }: UniversePageQuery,
): Promise<UniverseView> {
  const plan = planUniverse(deps, rights, { market, limit: maxRows, ...sent })
  const since = daysBefore(lastWholeDay(plan.asOf), 364)
  const day = parseAsOf(sent)
  for (let left = maxAttempts; left > 0; left--) {
    const [list, counted, moved] = await Promise.all([
      readUniverse(deps, plan),
      universeCounts(deps.sql, plan),
      universeMoves(deps.sql, plan),
    ])
    const { moves } = moved
    const recent = moves.filter(move => move.day >= since)
    const entries = recent.filter(({ kind }) => kind === 'entry')
    const exits = recent.filter(({ kind }) => kind === 'exit')
    const named = [...entries.slice(0, maxMoves), ...exits.slice(0, maxMoves)]
    const only = [...new Set(named.map(({ issuerId }) => issuerId))]
    const scope = { ...plan, states: null, after: null, limit: 2 * maxMoves, only }
    const page = await universePage(deps.sql, scope)
    const versions = [list.data_version, counted.dataVersion, moved.dataVersion, page.dataVersion]
    if (new Set(versions).size > 1) continue
    const companies = new Map(page.rows.map(company => [company.issuerId, company]))
    const withCompany = (move: UniverseMove) => ({ ...move, company: companies.get(move.issuerId) ?? null })
    const shown = [
      ...list.data,
      ...page.rows.map(({ ticker, issuerId }) => ({ ticker, issuer_id: issuerId })),
    ].flatMap(({ ticker, issuer_id }) => (ticker === null ? [] : [{ ticker, issuer_id }]))
    return {
      list,
      counts: counted.counts,
      moves,
      entries: entries.slice(0, maxMoves).map(withCompany),
      exits: exits.slice(0, maxMoves).map(withCompany),
      entered: entries.length,
      left: exits.length,
      ids: day === null ? new Map() : await idsOnDay(deps, shown, day),
      since,
    }
  }
  throw dataVersionConflict()
}
