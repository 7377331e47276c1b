import { gunzipSync } from 'node:zlib'
import { dayNumber } from '../../model/date.ts'
import type { Contribution, Filing, Statement } from '../../model/statement.ts'
import { registerOf } from '../../registers/registers.ts'
import type { Sql } from '../../store/database.ts'
import { type ImportSummary, importStatements } from './importStatements.ts'
import { entityColumns, sampleColumns } from './makeSample.ts'
import { spanOf, statedMetric } from './span.ts'

const sampleFolder = new URL('../../../sample/', import.meta.url)

/** Loads the shipped sample of filings through the same path as any import, a batch for each market; a second time adds
 * nothing. */
export async function loadSample(sql: Sql): Promise<readonly ImportSummary[]> {
  const ofMarket = Map.groupBy(await readSample(), ({ profile }) => profile.market)
  const summaries: ImportSummary[] = []
  for (const [market, contributions] of ofMarket) {
    const { rules } = registerOf(market)
    summaries.push(await importStatements(sql, [{ contributions }], { source: 'sample', rules }))
  }
  return summaries
}

/** What the shipped files say, as the register's own files would contribute it. */
export async function readSample(): Promise<Contribution[]> {
  const entities = await Bun.file(new URL('entities.csv', sampleFolder)).text()
  const zipped = await Bun.file(new URL('fundamentals.csv.gz', sampleFolder)).bytes()
  const statements = readStatements(gunzipSync(zipped).toString('utf8'))
  return records(entities, entityColumns).map(({ market, issuer_id, tickers, name, fiscal_year_end }) => ({
    profile: {
      market,
      issuerId: issuer_id,
      name,
      nameIsFallback: true,
      tickers: tickers === '' ? [] : tickers.split(' '),
      ...(fiscal_year_end === '' ? {} : { fiscalYearEnd: fiscal_year_end }),
      registers: true,
    },
    statements: statements.get(`${market} ${issuer_id}`) ?? [],
    filings: [],
  }))
}

function readStatements(text: string): Map<string, Statement[]> {
  const byIssuer = new Map<string, Statement[]>()
  const filings = new Map<string, Filing>()
  for (const row of records(text, sampleColumns)) {
    let filing = filings.get(row.accession)
    if (filing === undefined) {
      filing = {
        accession: row.accession,
        form: row.form,
        filed: dayNumber(row.filed),
        acceptedAt: row.accepted_at === '' ? null : Date.parse(row.accepted_at),
      }
      filings.set(row.accession, filing)
    }
    const start = row.start === '' ? null : dayNumber(row.start)
    const end = dayNumber(row.end)
    const statement: Statement = {
      metric: statedMetric(row.m, spanOf(start, end) ?? 0),
      tag: row.tag,
      unit: row.u,
      start,
      end,
      value: Number(row.v),
      rounded: false,
      filing,
    }
    const issuer = `${row.market} ${row.issuer_id}`
    const ofIssuer = byIssuer.get(issuer)
    if (ofIssuer) ofIssuer.push(statement)
    else byIssuer.set(issuer, [statement])
  }
  return byIssuer
}

/** The records of a CSV file of ours, which quotes a field only where it holds a comma. */
function* parseRecords<Column extends string>(
  text: string,
  columns: readonly Column[],
): Generator<Record<Column, string>> {
  const lines = text.split('\r\n')
  if (lines[0] !== columns.join(',')) throw new Error(`The sample's columns should be ${columns.join(',')}`)
  for (let row = 1; row < lines.length; row++) {
    if (lines[row] === '') continue
    const fields = lines[row].includes('"') ? splitQuoted(lines[row]) : lines[row].split(',')
    const record: Partial<Record<Column, string>> = {}
    for (const [index, column] of columns.entries()) record[column] = fields[index] ?? ''
    yield record as Record<Column, string>
  }
}

const records = <Column extends string>(text: string, columns: readonly Column[]) => [
  ...parseRecords(text, columns),
]

function splitQuoted(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(match =>
    match[1] === undefined ? match[2] : match[1].replaceAll('""', '"'),
  )
}
