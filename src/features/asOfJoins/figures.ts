import type { EventBlock } from '../../backtest/asOf/figureEvents.ts'
import { firstOfBlock } from '../../backtest/asOf/gather.ts'
import type { JoinClocks } from '../../backtest/asOf/joinTask.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import type { OtherChoice } from '../../backtest/requestCompare.ts'
import { Failure } from '../../errors.ts'
import type { ValuationFigure } from '../../markets/valuations.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { EventLease } from './eventStore.ts'
import type { BlockName } from './queries.ts'

/** Companies as of one data version. */
export interface VersionedCompanies<Company> {
  readonly dataVersion: number
  readonly companies: Company
}

export interface FigureSource<Company> {
  readonly sql: Sql
  /** The distinct companies of the request. */
  readonly entitiesOf: (companies: Company) => Int32Array
  /** Looks the companies up again in a snapshot. */
  readonly findAgain: (snapshot: SqlClient) => Promise<Company>
  /** Equal for callers with the same right to see the companies. */
  readonly accessKey: (companies: Company) => string
  /** Throws if the caller may not see these companies. */
  readonly authorize: (companies: Company) => Promise<void>
}

export interface OpenedFigures<Company> extends VersionedCompanies<Company> {
  readonly entities: Int32Array
  /** For each metric, and then for each figure of valuations, the blocks that contain the companies. */
  readonly blocks: readonly (readonly EventBlock[])[]
  /** For each choice of vintages besides `as_known`, the blocks that contain the companies. */
  readonly others: readonly (readonly EventBlock[])[]
  /** Null unless the request needs them. */
  readonly times: TimedBlocks | null
}

/** Additional data for rows with times. */
type TimedBlocks = Pick<JoinClocks, 'moments' | 'interims' | 'rules'>

interface FigureChoice {
  readonly metrics: readonly string[]
  readonly fp: AsOfPeriod
  readonly checks?: BlockName['checks']
  /** Figures of valuations, which follow the metrics and have periods of their own. */
  readonly figures?: readonly ValuationFigure[]
  /** Whether the rows have times. */
  readonly hasTimes: boolean
  /** Choices of vintages whose blocks are opened too, of a single metric. */
  readonly others?: readonly OtherChoice[]
  /** Whether rows with times also say by which rule their figures count. */
  readonly showsRules?: boolean
}

const maxAttempts = 8

/** Blocks of figures of companies, all of one data version. */
export interface OpenedBlocks<Company> extends VersionedCompanies<Company> {
  readonly entities: Int32Array
  /** In the order of their names. */
  readonly blocks: readonly EventBlock[]
}

/**
 * Opens blocks of figures of companies, at the data version at which the companies were found. Nothing is read before the
 * caller is authorised. If an import commits in between, the companies are looked up again, because an old ID must not be
 * paired with new figures.
 */
export async function openBlocks<Company>(
  lease: EventLease,
  { sql, entitiesOf, findAgain, accessKey, authorize }: FigureSource<Company>,
  first: VersionedCompanies<Company>,
  namesOf: (entities: Int32Array) => readonly BlockName[],
  signal?: AbortSignal,
): Promise<OpenedBlocks<Company>> {
  let found = first
  for (let left = maxAttempts; left > 0; left--) {
    const { dataVersion, companies } = found
    await authorize(companies)
    const entities = entitiesOf(companies)
    const names = namesOf(entities)
    const inMemory = lease.find(dataVersion, names)
    if (inMemory !== null) return { ...found, entities, blocks: inMemory }
    signal?.throwIfAborted()
    const read = await withSnapshot(sql, async snapshot => {
      const version = await readDataVersion(snapshot)
      if (version !== dataVersion) {
        found = { dataVersion: version, companies: await findAgain(snapshot) }
        // Otherwise they are authorised first, which takes another connection.
        if (accessKey(found.companies) !== accessKey(companies)) return null
      }
      return lease.open(snapshot, version, names, signal)
    })
    if (read !== null) return { ...found, entities, blocks: read }
  }
  throw new Failure(
    'database_unavailable',
    'The data kept changing while this request was being served. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/** Opens the events of some metrics of companies, as `openBlocks` does. */
export async function openFigures<Company>(
  lease: EventLease,
  source: FigureSource<Company>,
  first: VersionedCompanies<Company>,
  { metrics, fp, checks, figures: inputs = [], hasTimes, showsRules = false, others = [] }: FigureChoice,
  signal?: AbortSignal,
): Promise<OpenedFigures<Company>> {
  let figures = 0
  let timed = 0
  const namesOf = (entities: Int32Array) => {
    const names = [
      ...blockNames(entities, metrics, { fp, checks }),
      ...inputs.flatMap(({ metric, ...input }) => blockNames(entities, [metric], { ...input, checks })),
    ]
    figures = names.length
    if (hasTimes) names.push(...timedNames(names, 'interims', 'moments'))
    if (showsRules) names.push(...timedNames(names.slice(0, figures), 'interimRules', 'timedDays'))
    timed = names.length
    names.push(...others.flatMap(kind => names.slice(0, figures).map(name => ({ ...name, kind }))))
    return names
  }
  const { blocks, ...opened } = await openBlocks(lease, source, first, namesOf, signal)
  const count = metrics.length + inputs.length
  return {
    ...opened,
    blocks: byMetric(blocks.slice(0, figures), count),
    others: others.map((_, i) => blocks.slice(timed + i * figures, timed + (i + 1) * figures)),
    times: hasTimes ? timedBlocks(blocks.slice(figures, timed), figures, count, showsRules) : null,
  }
}

/**
 * The names of all blocks needed, by metric and then by company.
 *
 * @param entities -1 for unknown companies
 */
export function blockNames(
  entities: Int32Array,
  metrics: readonly string[],
  choice: Pick<BlockName, 'fp' | 'checks' | 'coverOnly' | 'kind'>,
): BlockName[] {
  const known = entities.filter(entity => entity !== -1)
  const firsts = [...new Set(Array.from(known, firstOfBlock))].sort((a, b) => a - b)
  return metrics.flatMap(metric => firsts.map(firstEntity => ({ metric, ...choice, firstEntity })))
}

/** The blocks of interim states that belong to blocks of figures, and those that belong to their companies. */
function timedNames(
  figures: readonly BlockName[],
  ofFigures: 'interims' | 'interimRules',
  ofCompanies: 'moments' | 'timedDays',
): BlockName[] {
  const firsts = [...new Set(figures.map(({ firstEntity }) => firstEntity))]
  return [
    ...figures.map((name): BlockName => ({ ...name, kind: ofFigures })),
    ...firsts.map((firstEntity): BlockName => ({ metric: '', fp: 'FY', firstEntity, kind: ofCompanies })),
  ]
}

/** @param blocks in the order of `timedNames` */
function timedBlocks(
  blocks: readonly EventBlock[],
  figures: number,
  metrics: number,
  showsRules: boolean,
): TimedBlocks {
  const each = showsRules ? blocks.length / 2 : blocks.length
  const [timed, rules] = [blocks.slice(0, each), blocks.slice(each)]
  return {
    interims: byMetric(timed.slice(0, figures), metrics),
    moments: timed.slice(figures),
    rules: showsRules
      ? { interims: byMetric(rules.slice(0, figures), metrics), days: rules.slice(figures) }
      : null,
  }
}

function byMetric(blocks: readonly EventBlock[], metrics: number): EventBlock[][] {
  const each = blocks.length / metrics
  return Array.from({ length: metrics }, (_, metric) => blocks.slice(metric * each, (metric + 1) * each))
}
