import { gunzipSync } from 'node:zlib'
import { dayNumber } from '../../dates.ts'
import type { Contribution, EntityProfile, Filing, Statement } from '../../facts/reportedFact.ts'
import { spanOf, statedMetric } from '../../facts/spans.ts'
import type { Sql } from '../../postgres/client.ts'
import { type ImportSummary, importStatements } from '../import/importStatements.ts'
import { registerOf } from '../registers/registers.ts'
import { entityColumns, nameSeparator, sampleColumns, sampleKey } from './makeSample.ts'

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
  return records(entities, entityColumns).map(row => {
    const profile = profileOf(row)
    return { profile, statements: statements.get(sampleKey(profile)) ?? [], filings: [] }
  })
}

/** Whatever a register's own files call the company takes the place of the sample's name. */
function profileOf(row: Readonly<Record<(typeof entityColumns)[number], string>>): EntityProfile {
  const { market, issuer_id: issuerId, name, fiscal_year_end: fiscalYearEnd } = row
  return {
    market,
    issuerId,
    ...(name === '' ? {} : { name, nameIsFallback: true }),
    ...(row.other_names === '' ? {} : { otherNames: row.other_names.split(nameSeparator) }),
    tickers: row.tickers === '' ? [] : row.tickers.split(' '),
    ...(row.tickers_assumed === '' ? {} : { tickersAssumed: true }),
    ...(fiscalYearEnd === '' ? {} : { fiscalYearEnd }),
    registers: true,
  }
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
    const issuer = sampleKey({ market: row.market, issuerId: row.issuer_id })
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
