import { gunzipSync } from 'node:zlib'
import { dayNumber } from '../../dates.ts'
import {
  type EntityProfile,
  entityKey,
  type Filing,
  type ParsedDocument,
  type ReportedFact,
} from '../../facts/reportedFact.ts'
import { reportedMetric, spanOf } from '../../facts/spans.ts'
import { withoutFormulaGuard } from '../../formats/formulaGuard.ts'
import type { Sql } from '../../postgres/client.ts'
import { registerOf } from '../allRegisters.ts'
import { type ImportSummary, importInTurn } from '../import/importFacts.ts'
import { maintainFactTables } from '../store/bulkIndexes.ts'
import { readSampleFilings } from './sampleFilings.ts'
import { entityColumns, nameSeparator, readingsOf, sampleColumns, yes } from './sampleFormat.ts'

const sampleFolder = new URL('../../../sample/', import.meta.url)

/**
 * Loads the shipped sample of filings through the same path as any import, one batch per market. A second
 * call adds nothing.
 */
export async function loadSample(sql: Sql): Promise<readonly ImportSummary[]> {
  const byMarket = Map.groupBy(await readSample(), ({ profile }) => profile.market)
  const filings = readSampleFilings(await Bun.file(new URL('filings.jsonl.gz', sampleFolder)).bytes())
  const imports = [...byMarket].map(([market, parsed]) => {
    const { rules, settleTimes = null } = registerOf(market)
    const wholeFilings = filings.filter(filing => filing.market === market)
    return { units: [{ parsed, wholeFilings }], options: { source: 'sample', rules, settleTimes } }
  })
  const summaries = await importInTurn(sql, imports)
  await maintainFactTables(
    sql,
    summaries.reduce((sum, { factsAdded }) => sum + factsAdded, 0),
  )
  return summaries
}

/** What the shipped files state, as a register's own files would give it. */
export async function readSample(): Promise<ParsedDocument[]> {
  const entities = await Bun.file(new URL('entities.csv', sampleFolder)).text()
  const zipped = await Bun.file(new URL('fundamentals.csv.gz', sampleFolder)).bytes()
  const reportedFacts = readReportedFacts(gunzipSync(zipped).toString('utf8'))
  return [...records(entities, entityColumns)].map(row => {
    const profile = profileOf(row)
    return { profile, reportedFacts: reportedFacts.get(entityKey(profile)) ?? [], filings: [] }
  })
}

/** The name is a fallback: one from a register's own files replaces it. */
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
    ...(row.sector === '' ? {} : { sector: row.sector }),
    ...(row.exchange === '' ? {} : { exchange: row.exchange }),
    ...(row.status === '' ? {} : { status: row.status }),
    registers: true,
  }
}

/** Keyed by `entityKey`. */
function readReportedFacts(text: string): Map<string, ReportedFact[]> {
  const byEntity = new Map<string, ReportedFact[]>()
  const filings = new Map<string, Filing>()
  for (const row of records(text, sampleColumns)) {
    let filing = filings.get(row.accession)
    if (filing === undefined) {
      filing = {
        accession: row.accession,
        form: row.form,
        filed: dayNumber(row.filed),
        // If there are readings, the time follows from these and from other readings on record.
        acceptedAt: row.accepted_at === '' || row.readings !== '' ? null : Date.parse(row.accepted_at),
        ...(row.readings === '' ? {} : { readings: readingsOf(row.readings) }),
        ...(row.fiscal_year_end === '' ? {} : { fiscalYearEnd: row.fiscal_year_end }),
        ...(row.company_name === '' ? {} : { companyName: row.company_name }),
        ...(row.sector === '' ? {} : { sector: row.sector }),
      }
      filings.set(row.accession, filing)
    }
    const start = row.start === '' ? null : dayNumber(row.start)
    const end = dayNumber(row.end)
    const reported: ReportedFact = {
      metric: reportedMetric(row.m, spanOf(start, end) ?? 0),
      tag: row.tag,
      unit: row.u,
      start,
      end,
      value: Number(row.v),
      rounded: row.rounded === yes,
      filing,
    }
    const key = entityKey({ market: row.market, issuerId: row.issuer_id })
    const ofEntity = byEntity.get(key)
    if (ofEntity) ofEntity.push(reported)
    else byEntity.set(key, [reported])
  }
  return byEntity
}

/** The records of one of the sample's CSV files, which quote a field only if it contains a comma. */
function* records<Column extends string>(
  text: string,
  columns: readonly Column[],
): Generator<Record<Column, string>> {
  const lines = text.split('\r\n')
  if (lines[0] !== columns.join(',')) throw new Error(`The sample's columns should be ${columns.join(',')}`)
  for (let row = 1; row < lines.length; row++) {
    if (lines[row] === '') continue
    const fields = lines[row].includes('"') ? splitQuoted(lines[row]) : lines[row].split(',')
    const record: Partial<Record<Column, string>> = {}
    for (const [index, column] of columns.entries()) {
      const field = fields[index] ?? ''
      record[column] = field === '' ? field : withoutFormulaGuard(field)
    }
    yield record as Record<Column, string>
  }
}

function splitQuoted(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(match =>
    match[1] === undefined ? match[2] : match[1].replaceAll('""', '"'),
  )
}
