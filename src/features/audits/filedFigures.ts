import type { EventBlock } from '../../backtest/asOf/figureEvents.ts'
import { firstOfBlock } from '../../backtest/asOf/gather.ts'
import { allocateVintages, packVintages } from '../../backtest/asOf/packedVintages.ts'
import type { PackedFilings } from '../../backtest/audit/vintages.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import type { RunOptions } from '../../backtest/pool/computePool.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { KindOfPeriod } from '../../wholeFilings/frames.ts'
import type { Terms } from '../../wholeFilings/terms.ts'
import type { JoinCompanies } from '../asOfJoins/companies.ts'
import type { FigureSource, VersionedCompanies } from '../asOfJoins/figures.ts'
import type { JoinDeps } from '../asOfJoins/join.ts'
import { type FiledName, readCompanyVintages } from './filedColumns.ts'
import type { FiledVintage } from './filedVintages.ts'

/** What audits need besides joins: the readers of whole filings. */
export interface AuditDeps extends JoinDeps {
  readonly terms: Terms
  readonly readLimiter: Pick<ReadLimiter, 'run'>
}

/** Companies that are read before the connection and the slot are given to others. */
const companiesPerTurn = 10

/**
 * Reads the vintages of tags and lines of companies from their filings, all of one data version. Nothing is read before the
 * caller is authorised. If an import has committed since the companies were found, they are looked up again.
 *
 * @returns null if an import commits while the filings are read
 */
export async function readFiledFigures(
  { sql, terms, readLimiter, today }: AuditDeps,
  { authorize, findAgain, accessKey }: FigureSource<JoinCompanies>,
  first: VersionedCompanies<JoinCompanies>,
  names: readonly FiledName[],
  subject: string,
  signal: AbortSignal,
): Promise<{ readonly found: VersionedCompanies<JoinCompanies>; readonly figures: FiledFigures } | null> {
  await authorize(first.companies)
  const inSnapshot = <T>(work: (snapshot: SqlClient, version: number) => Promise<T>) => {
    signal.throwIfAborted()
    return readLimiter.run(subject, () =>
      withSnapshot(sql, async snapshot => work(snapshot, await readDataVersion(snapshot))),
    )
  }
  const found = await inSnapshot(async (snapshot, dataVersion) =>
    dataVersion === first.dataVersion ? first : { dataVersion, companies: await findAgain(snapshot) },
  )
  if (accessKey(found.companies) !== accessKey(first.companies)) await authorize(found.companies)
  const { identities } = found.companies
  const vintages: (readonly (readonly FiledVintage[])[])[] = []
  while (vintages.length < identities.length) {
    const some = identities.slice(vintages.length, vintages.length + companiesPerTurn)
    const read = await inSnapshot(async (snapshot, version) => {
      if (version !== found.dataVersion) return null
      const ofSome: (readonly (readonly FiledVintage[])[])[] = []
      for (const company of some)
        ofSome.push(await readCompanyVintages(snapshot, terms, company, names, today(), signal))
      return ofSome
    })
    if (read === null) return null
    vintages.push(...read)
  }
  const entities = identities.map(({ entityId }) => entityId)
  return { found, figures: new FiledFigures(names, entities, vintages) }
}

/** Of periods with one last day, a year counts before a quarter, as among the vintages of a metric. */
const ranks: Readonly<Record<KindOfPeriod, number>> = { year: 5, quarter: 4, instant: 3 }

/** The highest number of a unit. The numbers of stored units grow from 1 and stay far below it. */
const lastUnit = 0x7fff

/** The vintages of tags and lines, as the blocks of a join have those of metrics. */
export class FiledFigures {
  readonly #names: readonly FiledName[]
  readonly #entities: readonly number[]
  readonly #vintages: readonly (readonly (readonly FiledVintage[])[])[]

  /** @param vintages by company and name */
  constructor(
    names: readonly FiledName[],
    entities: readonly number[],
    vintages: readonly (readonly (readonly FiledVintage[])[])[],
  ) {
    this.#names = names
    this.#entities = entities
    this.#vintages = vintages
  }

  /**
   * The stored units and those of the filings. A unit that is not stored gets a number of its own, from the highest
   * downwards.
   */
  unitNames(stored: ReadonlyMap<number, string>): ReadonlyMap<number, string> {
    const all = new Map(stored)
    const known = new Set(stored.values())
    let next = lastUnit
    for (const ofCompany of this.#vintages)
      for (const ofName of ofCompany)
        for (const { unit } of ofName) {
          if (known.has(unit)) continue
          known.add(unit)
          all.set(next--, unit)
        }
    return all
  }

  /** One kind of period of a name, packed by blocks of companies. */
  packed(name: FiledName, fp: AsOfPeriod, unitNames: ReadonlyMap<number, string>): PackedFilings[] {
    const index = this.#names.findIndex(one => isSameName(one, name))
    const units = new Map([...unitNames].map(([number, unit]) => [unit, number]))
    const rows = this.#entities.flatMap((entity, company) =>
      (this.#vintages[company][index] ?? [])
        .filter(({ kind }) => fp === 'latest' || (kind === 'year') === (fp === 'FY'))
        .map(vintage => ({ entity, ...vintage })),
    )
    return [...Map.groupBy(rows, ({ entity }) => firstOfBlock(entity))].map(([firstEntity, ofBlock]) => {
      const vintages = allocateVintages(ofBlock.length)
      for (const [at, { entity, filed, until, end, kind, unit, value }] of ofBlock.entries()) {
        vintages.entity[at] = entity
        vintages.filed[at] = filed
        vintages.until[at] = until
        vintages.end[at] = end
        vintages.rank[at] = ranks[kind]
        vintages.unit[at] = units.get(unit) ?? lastUnit
        vintages.value[at] = value
      }
      return {
        firstEntity,
        rows: packVintages(vintages),
        accessions: ofBlock.map(({ accession }) => accession).join('\n'),
      }
    })
  }
}

/** Whether two columns have the same figures. */
export const isSameName = (a: FiledName, b: FiledName): boolean =>
  a.kind === b.kind && a.name === b.name && a.currency === b.currency

/** Turns packed rows into blocks of every vintage. */
export const buildFiledVintages = (
  { pool }: Pick<JoinDeps, 'pool'>,
  packed: readonly PackedFilings[],
  run: RunOptions,
): Promise<EventBlock[]> => Promise.all(packed.map(rows => pool.tasks.buildVintages(rows, run)))

/** Turns packed rows into blocks of what was known on each day. */
export const buildFiledEvents = (
  { pool }: Pick<JoinDeps, 'pool'>,
  packed: readonly PackedFilings[],
  run: RunOptions,
): Promise<EventBlock[]> =>
  Promise.all(packed.map(({ firstEntity, rows }) => pool.tasks.buildEvents({ firstEntity, rows }, run)))
