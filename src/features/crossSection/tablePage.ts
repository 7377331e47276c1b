import type { SqlClient } from '../../postgres/client.ts'
import { type PackedFigure, unpackFigures } from './packedFigures.ts'
import {
  type NumberedMetric,
  numberedMetrics,
  type PackedCompany,
  partEnds,
  readCompanies,
  type TableScope,
  unitNames,
} from './tableQueries.ts'

/** A company with its figures by metric. */
export interface TableCompany {
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly figures: ReadonlyMap<string, TableFigure>
}

export interface TableFigure extends Omit<PackedFigure, 'metricId' | 'unitId' | 'leftOut'> {
  readonly unit: string
}

export interface TablePage {
  readonly dataVersion: number
  readonly rows: TableCompany[]
  /** The last entity on the page; null on the last page. */
  readonly next: number | null
}

/**
 * One page: a row for each company that has any of the metrics, in order of first import. If figures are left out for
 * their state, a page may have fewer companies than the limit although others follow.
 *
 * @param companiesPerPart for large pages, how many companies one statement reads
 */
export async function tableRows(
  sql: SqlClient,
  scope: TableScope,
  companiesPerPart = 2_500,
): Promise<TablePage> {
  // Metric names are resolved to numbers first: the planner then knows that it reads only a few metrics of
  // each company.
  const metrics = await numberedMetrics(sql, scope.metrics)
  const nameOf = new Map(metrics.map(({ id, name }) => [id, name]))
  const unitOf = await unitNames(sql)
  const unpack = (company: PackedCompany) => unpackCompany(company, nameOf, unitOf)
  const { version, rows, examined } =
    (await readInParts(sql, scope, metrics, unpack, companiesPerPart)) ??
    (await readAtOnce(sql, scope, metrics, unpack))
  const onPage = rows.slice(0, scope.limit)
  return {
    dataVersion: version,
    rows: onPage.filter(({ figures }) => figures.size > 0),
    next: rows.length > scope.limit ? (onPage.at(-1)?.entityId ?? null) : examined,
  }
}

interface Companies {
  readonly version: number
  /** Sorted. One more than the page holds if others follow. */
  readonly rows: TableCompany[]
  /** The last company examined, if only some were examined and others follow. */
  readonly examined: number | null
}

type Unpack = (company: PackedCompany) => TableCompany

async function readAtOnce(
  sql: SqlClient,
  scope: TableScope,
  metrics: readonly NumberedMetric[],
  unpack: Unpack,
): Promise<Companies> {
  const { version, companies, examined } = await readCompanies(
    sql,
    { ...scope, upTo: null, limit: scope.limit + 1 },
    metrics,
  )
  return { version, rows: companies.map(unpack), examined }
}

/** While the database works on two parts of a page, the server unpacks a third. */
const partsAtOnce = 2

/**
 * Returns null if the page is small, if the key's pages end where the examination of companies ends, or if an
 * import committed between two parts and their data versions differ.
 */
async function readInParts(
  sql: SqlClient,
  scope: TableScope,
  metrics: readonly NumberedMetric[],
  unpack: Unpack,
  companiesPerPart: number,
): Promise<Companies | null> {
  const { after, limit, recentFiscalYearOnly, seen = null } = scope
  if (limit < 2 * companiesPerPart || recentFiscalYearOnly || seen !== null) return null
  const ends = await partEnds(sql, scope, companiesPerPart)
  if (ends.length < 2) return null
  const parts = ends.map((upTo, index) => ({ after: index === 0 ? after : ends[index - 1], upTo }))
  const found: Companies[] = []
  let next = 0
  const readParts = async () => {
    for (let index = next++; index < parts.length; index = next++) {
      const part = { ...scope, ...parts[index], limit: companiesPerPart }
      const { version, companies } = await readCompanies(sql, part, metrics)
      found[index] = { version, rows: companies.map(unpack), examined: null }
    }
  }
  await Promise.all(Array.from({ length: partsAtOnce }, readParts))
  const rows = found.flatMap(part => part.rows)
  // Companies without a figure leave room for those after the last part.
  const rest = { ...scope, after: parts[parts.length - 1].upTo, limit: limit - rows.length }
  const { version, rows: others } = await readAtOnce(sql, rest, metrics, unpack)
  if (found.some(part => part.version !== version)) return null
  for (const row of others) rows.push(row)
  return { version, rows, examined: null }
}

function unpackCompany(
  { entityId, ticker, issuerId, recent, before }: PackedCompany,
  nameOf: ReadonlyMap<number, string>,
  unitOf: ReadonlyMap<number, string>,
): TableCompany {
  const figures = new Map<string, TableFigure & Pick<PackedFigure, 'leftOut'>>()
  for (const packed of [before, recent]) {
    for (const { metricId, unitId, ...figure } of unpackFigures(packed)) {
      const name = nameOf.get(metricId) ?? ''
      const known = figures.get(name)
      if (known !== undefined && isLater(known, figure)) continue
      figures.set(name, { ...figure, unit: unitOf.get(unitId) ?? '' })
    }
  }
  // The latest figure is chosen first: an earlier one would not be the figure of the day.
  for (const [name, { leftOut }] of figures) if (leftOut) figures.delete(name)
  return { entityId, ticker, issuerId, figures }
}

/**
 * Whether `a` rather than `b` is a company's figure: its period ends later or, if both end on the same day,
 * is longer.
 */
export function isLater(a: Pick<PackedFigure, 'end' | 'fp'>, b: Pick<PackedFigure, 'end' | 'fp'>): boolean {
  if (a.end !== b.end) return a.end > b.end
  return a.fp === 0 || (b.fp !== 0 && a.fp >= b.fp)
}
