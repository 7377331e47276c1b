import { dayNumber, type IsoDate } from '../../dates.ts'
import type { AsOf } from '../../instants.ts'
import type { Metric } from '../../markets/metrics.ts'
import type { SqlClient } from '../../postgres/client.ts'
import type { StatementName } from '../../wholeFilings/kindOfStatement.ts'
import {
  type KnownFiling,
  listKnownFilings,
  openWholeFilings,
} from '../../wholeFilings/knownFilingQueries.ts'
import { type PresentedLine, PresentedLines } from '../../wholeFilings/presentedLine.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import type { CompanyPlan } from './plan.ts'
import type { StoredRow } from './queries.ts'

const presentedFields = ['statement', 'line', 'label'] as const

/** Whether a request asks where filings present their figures. Whole filings are then read. */
export const asksForLines = ({ fields }: Pick<CompanyPlan, 'fields'>): boolean =>
  presentedFields.some(name => fields.includes(name))

/** Bounds the memory: a filing is up to a megabyte when it is decoded. */
const filingsPerRead = 10

/**
 * Where the filing of each row presents the row's figure. Reads only the filing of the row's vintage, with the content
 * that was known when the vintage was filed. Rows without an entry are derived, or their filing is not on record with
 * its statements, or none of these shows the figure.
 */
export async function readPresentedLines(
  { sql, markets, terms }: Pick<CompanyDeps, 'markets' | 'terms'> & { readonly sql: SqlClient },
  plan: CompanyPlan,
  rows: readonly StoredRow[],
): Promise<ReadonlyMap<StoredRow, PresentedLine>> {
  const lines = new Map<StoredRow, PresentedLine>()
  if (!asksForLines(plan)) return lines
  const stated = rows.filter(({ derived, tag }) => !derived && typeof tag === 'string')
  if (stated.length === 0) return lines
  const vintages = await filingsOfRows(sql, plan, stated)
  for (let read = 0; read < vintages.length; read += filingsPerRead) {
    const group = vintages.slice(read, read + filingsPerRead)
    const wholes = await openWholeFilings(
      sql,
      terms,
      group.map(({ filing }) => filing),
    )
    for (const [at, { rows: ofFiling }] of group.entries()) {
      const presented = new PresentedLines(wholes[at])
      for (const row of ofFiling) {
        const line = presented.find(
          {
            tag: row.tag ?? '',
            period: {
              start: row.start == null ? null : dayNumber(row.start),
              end: dayNumber(row.end),
              quarters: null,
            },
            value: row.v,
          },
          statementOf[markets.metrics.get(row.m)?.statement ?? 'ratios'],
        )
        if (line !== null) lines.set(row, line)
      }
    }
  }
  return lines
}

/** The statement on which a figure of a section of the catalogue is sought first. */
const statementOf: Readonly<Record<Metric['statement'], StatementName>> = {
  income: 'income',
  balance: 'balance',
  cash: 'cash_flow',
  shares: 'income',
  ratios: 'income',
}

interface Vintage {
  readonly filing: KnownFiling
  readonly rows: StoredRow[]
}

/** The filings that are on record with their statements, each with those of the rows that it states. */
async function filingsOfRows(
  sql: SqlClient,
  { entityId, asOf }: CompanyPlan,
  rows: readonly StoredRow[],
): Promise<readonly Vintage[]> {
  const known = new Map<AsOf, ReadonlyMap<string, KnownFiling>>()
  const listAsOf = async (day: AsOf) => {
    const listed =
      known.get(day) ??
      new Map((await listKnownFilings(sql, entityId, day)).map(filing => [filing.accession, filing]))
    known.set(day, listed)
    return listed
  }
  const vintages = new Map<string, Vintage>()
  for (const row of rows) {
    // The vintage of an edit is named after the filing and the day on which the edit was seen.
    const accession = (row.accession ?? '').replace(/@\d{4}-\d\d-\d\d$/, '')
    let filing = (await listAsOf(asOf)).get(accession)
    // Its register edited the filing after this vintage.
    if (isLater(filing, row.filed)) filing = (await listAsOf(row.filed)).get(accession)
    if (filing === undefined || filing.lines === 0) continue
    const key = `${filing.filingId} ${filing.seenOn}`
    const vintage = vintages.get(key) ?? { filing, rows: [] }
    vintages.set(key, vintage)
    vintage.rows.push(row)
  }
  return [...vintages.values()]
}

const isLater = (filing: KnownFiling | undefined, filed: IsoDate): boolean =>
  typeof filing?.seenOn === 'string' && filing.seenOn > filed
