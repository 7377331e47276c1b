import { beforeAllDays, type DatedName, type RowSlots } from '../../backtest/asOf/datedNames.ts'
import type { JoinKin } from '../../backtest/asOf/joinTask.ts'
import type { UnmatchedSymbol } from '../../backtest/asOf/writeJoin.ts'
import { addDays, dayNumber, type IsoDate } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { enforceEntityCap } from '../../rights/entityCap.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { type KnownLineage, kinOf, lineageOf } from '../companies/lineage.ts'
import { formerIdOf } from '../companies/notes.ts'
import { type CompanyIdentity, isRegisterNumber } from '../companies/queries.ts'
import { type IdReader, type IdStretch, idReader, readStretches } from '../companies/symbols.ts'
import type { VersionedCompanies } from './figures.ts'

/** The companies behind the names in a join's rows. */
export interface JoinCompanies {
  /**
   * For each name, followed by each slot of `dated`, the index of its company in `identities`; -1 if no row needs it
   * or it is unknown.
   */
  readonly companyOfName: Int32Array
  /** Names that mean different companies on different days. */
  readonly dated: readonly DatedName[]
  /** For each row, its name or slot; null if no name depends on the day. */
  readonly slotOfRow: Int32Array | null
  /** Each company appears once. */
  readonly identities: readonly CompanyIdentity[]
  /** Indexes of the names that mean no company on any day. */
  readonly unknown: readonly number[]
  /** Names that are former IDs of their companies. */
  readonly renamed: readonly { readonly sent: string; readonly ticker: string }[]
  /** For names that are symbols, the days on which none of our companies had them. */
  readonly unmatched: readonly UnmatchedSymbol[]
  /** Whether for some rows it is only assumed that the company had the symbol on the row's date. */
  readonly isSymbolAssumed: boolean
  /** The lineages of these companies. */
  readonly lineages: readonly KnownLineage[]
  /** Other registrants of lineages that the join follows. */
  readonly kin: readonly JoinKin[]
  /** The data versions in which the companies were found. */
  readonly dataVersions: ReadonlySet<number>
}

/** The rules by which a join's names are resolved to companies. */
export interface NameRules {
  readonly findSlots: FindSlots
  readonly followsLineage: boolean
  /** Whether companies that had a symbol on days without rows are among the companies, too. */
  readonly takesAllHolders?: boolean
  readonly today: IsoDate
}

/** Assigns rows to the stretches of dated names. */
export type FindSlots = (dated: readonly DatedName[], slots: number) => Promise<MaybeSlots>
/** If `slot` is null, `counts` only says which slots may have rows. */
type MaybeSlots = Pick<RowSlots, 'counts'> & { readonly slot: Int32Array | null }

const idsPerLookup = 5_000
/** The format of all register IDs. Other names are unknown; the database would even reject some of them. */
const idShape = /^[A-Z0-9][A-Z0-9._/-]{0,31}$/

/**
 * Looks the companies up in the directory, which caches them between requests. If an import commits in the
 * meantime, they may come from several data versions, and the caller looks them up again.
 */
export async function findJoinCompanies(
  { lookups, directory }: Pick<CompanyDeps, 'lookups' | 'directory'>,
  names: readonly string[],
  rules: NameRules,
  dataVersion: number,
): Promise<VersionedCompanies<JoinCompanies>> {
  return versioned(await findAll(idReader(lookups, directory), names, rules), dataVersion)
}

/**
 * Pairs companies with the data version in which they were found.
 *
 * @param dataVersion used if none was found
 */
export function versioned(companies: JoinCompanies, dataVersion: number): VersionedCompanies<JoinCompanies> {
  const [version = dataVersion] = companies.dataVersions
  // No version matches a mix, so the caller looks the companies up again in a snapshot.
  return { dataVersion: companies.dataVersions.size > 1 ? -1 : version, companies }
}

/** The companies as of a snapshot. */
export const findInSnapshot = (
  snapshot: SqlClient,
  names: readonly string[],
  rules: NameRules,
): Promise<JoinCompanies> => findAll(idReader(snapshot), names, rules)

async function findAll(reader: IdReader, names: readonly string[], rules: NameRules): Promise<JoinCompanies> {
  const ids = names.map(name => name.toUpperCase())
  const wanted = [...new Set(ids.filter(id => idShape.test(id)))]
  const found = new Map<string, CompanyIdentity>()
  const stretches = new Map<string, readonly IdStretch[]>()
  const dataVersions = new Set<number>()
  for (let at = 0; at < wanted.length; at += idsPerLookup) {
    const some = wanted.slice(at, at + idsPerLookup)
    const today = await reader.findAll(some)
    const read = await readStretches(reader, some, today)
    for (const [id, company] of today) {
      found.set(id, company)
      dataVersions.add(company.dataVersion)
    }
    for (const [id, ofId] of read.stretches) stretches.set(id, ofId)
    for (const version of read.dataVersions) dataVersions.add(version)
  }
  const assigned = await new Assignment(names, ids, found, stretches).finish(rules, dataVersions)
  return withLineages(assigned, reader, rules)
}

/** Adds the other registrants of the companies' lineages, each as a company of its own. */
async function withLineages(
  companies: Assigned,
  reader: IdReader,
  { followsLineage, today }: NameRules,
): Promise<JoinCompanies> {
  const { identities } = companies
  const successions = await reader.successions()
  const lineages = new Map<string, KnownLineage>()
  for (const { entityId } of successions.length === 0 ? [] : identities) {
    const lineage = lineageOf(successions, entityId, today)
    if (lineage !== null) lineages.set(lineage.registrants.map(one => one.entityId).join(' '), lineage)
  }
  const own = { ...companies, lineages: [...lineages.values()], kin: [] }
  if (!followsLineage || lineages.size === 0) return own
  const wanted = own.lineages.flatMap(({ registrants }) => registrants)
  const found = new Map((await reader.byNumbers(wanted)).map(company => [company.entityId, company]))
  const all = [...identities]
  const indexes = new Map(all.map(({ entityId }, index) => [entityId, index]))
  const indexOf = (entityId: number): number => {
    const known = indexes.get(entityId)
    const company = found.get(entityId)
    if (known !== undefined || company === undefined) return known ?? -1
    const index = all.push(company) - 1
    indexes.set(entityId, index)
    return index
  }
  const kin = identities.flatMap(({ entityId }, company) =>
    kinOf(successions, entityId).map(({ registrant, known }) => ({
      company,
      other: indexOf(registrant.entityId),
      known: dayNumber(known),
    })),
  )
  return { ...own, identities: all, kin: kin.filter(({ other }) => other !== -1) }
}

type Assigned = Omit<JoinCompanies, 'lineages' | 'kin'>

/** Assigns companies to names and to the stretches of dated ones. */
class Assignment {
  readonly #identities: CompanyIdentity[] = []
  readonly #indexes = new Map<number, number>()
  readonly #renamed = new Map<string, { sent: string; ticker: string }>()
  #isSymbolAssumed = false

  constructor(
    readonly names: readonly string[],
    readonly ids: readonly string[],
    readonly found: ReadonlyMap<string, CompanyIdentity>,
    readonly stretches: ReadonlyMap<string, readonly IdStretch[]>,
  ) {}

  async finish(
    { findSlots, takesAllHolders = false }: NameRules,
    dataVersions: ReadonlySet<number>,
  ): Promise<Assigned> {
    const { names, ids, found, stretches } = this
    const dated: DatedName[] = []
    let slots = names.length
    for (const [name, id] of ids.entries()) {
      const ofId = stretches.get(id)
      if (ofId === undefined) continue
      const first = slots
      slots += ofId.length
      dated.push({
        name,
        starts: Int32Array.from(ofId, ({ from }) => (from === null ? beforeAllDays : dayNumber(from))),
        slots: Int32Array.from(ofId, (_, index) => first + index),
      })
    }
    const placed = dated.length === 0 ? null : await findSlots(dated, slots)
    const companyOfName = new Int32Array(slots).fill(-1)
    const unknown: number[] = []
    for (const [name, id] of ids.entries()) {
      if (stretches.has(id)) continue
      const company = found.get(id)
      if (company === undefined) unknown.push(name)
      else companyOfName[name] = this.#take(name, company, !isRegisterNumber(id, company))
    }
    const unmatched: UnmatchedSymbol[] = []
    for (const { name, slots: ofName } of dated) {
      const ofId = stretches.get(ids[name]) ?? []
      for (const [index, { company, isAssumed, from, reason }] of ofId.entries()) {
        const rows = placed?.counts[ofName[index]] ?? 0
        if (rows === 0 && !(takesAllHolders && company !== null)) continue
        if (company !== null) companyOfName[ofName[index]] = this.#take(name, company, isAssumed)
        else {
          const next = ofId[index + 1]?.from ?? null
          const to = next === null ? null : addDays(next, -1)
          unmatched.push({ ticker: names[name], from, to, rows, reason: reason ?? '' })
        }
      }
    }
    return {
      companyOfName,
      dated,
      slotOfRow: placed?.slot ?? null,
      identities: this.#identities,
      unknown,
      renamed: [...this.#renamed.values()],
      unmatched,
      isSymbolAssumed: this.#isSymbolAssumed,
      dataVersions,
    }
  }

  /** Returns the index of the company in `identities`. */
  #take(name: number, company: CompanyIdentity, isAssumed: boolean): number {
    const sent = this.names[name]
    if (formerIdOf(company) !== null)
      this.#renamed.set(`${sent} ${company.ticker}`, { sent, ticker: company.ticker })
    this.#isSymbolAssumed ||= isAssumed
    const known = this.#indexes.get(company.entityId)
    if (known !== undefined) return known
    const index = this.#identities.push(company) - 1
    this.#indexes.set(company.entityId, index)
    return index
  }
}

/** Equal only for the same company under the same ID. */
export const accessKeyOf = ({ identities }: Pick<JoinCompanies, 'identities'>): string =>
  identities.map(({ entityId, ticker, preferred }) => `${entityId} ${ticker} ${preferred}`).join('\n')

/**
 * A join shows what was known on many days, so the caller needs the right to use `as_of`. Every company
 * counts towards a cap, whether or not it has figures, and before any figure is read.
 */
export async function authorizeJoin(
  deps: Pick<CompanyDeps, 'sql'>,
  rights: Rights,
  { identities }: JoinCompanies,
): Promise<void> {
  rights.requireJoin(identities)
  await enforceEntityCap(
    deps,
    rights,
    identities.map(({ entityId }) => entityId),
    'this join',
    'rows',
    '; a join of fewer tickers may still be allowed',
  )
}
