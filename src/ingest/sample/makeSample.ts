import { gzipSync } from 'node:zlib'
import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { deriveFacts } from '../../facts/deriveFacts.ts'
import type { FiscalPeriod } from '../../facts/factRow.ts'
import { compareFilings, groupByFiling, mergeFilings } from '../../facts/filings.ts'
import {
  type EntityProfile,
  entityKey,
  type Filing,
  type ParsedDocument,
  type ReportedFact,
} from '../../facts/reportedFact.ts'
import { spanOf, storedMetric } from '../../facts/spans.ts'
import { csvLine } from '../../formats/columns.ts'
import { listFiles } from '../import/listFiles.ts'
import { mergeParsedDocuments } from '../import/mergeDocuments.ts'
import { readUnits } from '../import/readFiles.ts'
import { newReadProgress } from '../reading/progress.ts'
import { registerOf } from '../registers/allRegisters.ts'
import type { Register } from '../registers/registerInterface.ts'
import { entityColumns, nameSeparator, sampleColumns } from './sampleFormat.ts'

interface SampleFiles {
  /** `entities.csv` */
  readonly entities: string
  /** `fundamentals.csv.gz` */
  readonly fundamentals: Uint8Array
  readonly reportedFacts: number
  readonly companies: number
}

/** Writes the reported facts of some entities as served rows. Each has its tag, accession, form and acceptance time: the
 * service derives everything else from these. The same inputs give the same bytes.
 *
 * @param companies the entities of the sample, by `entityKey`, with figures or without; null: all that have figures */
export function makeSample(
  documents: readonly ParsedDocument[],
  companies: ReadonlySet<string> | null = null,
): SampleFiles {
  const chosen = mergeParsedDocuments(documents)
    .filter(({ profile, reportedFacts }) =>
      companies === null ? reportedFacts.length > 0 : companies.has(entityKey(profile)),
    )
    .sort((a, b) => (entityKey(a.profile) < entityKey(b.profile) ? -1 : 1))
  refuseAbsent(companies, chosen)
  let entities = csvLine([...entityColumns])
  let text = csvLine([...sampleColumns])
  let reportedFacts = 0
  for (const document of chosen) {
    const { market, issuerId, tickers = [] } = document.profile
    entities += entityText(document.profile)
    for (const line of linesOf(document)) {
      text += lineText(line, tickers[0] ?? `CIK${issuerId}`, market, issuerId)
      reportedFacts++
    }
  }
  const fundamentals = gzipSync(text, { level: 9 })
  // The byte that names the operating system would make the file depend on where it was made.
  fundamentals[9] = 255
  return { entities, fundamentals, reportedFacts, companies: chosen.length }
}

function refuseAbsent(companies: ReadonlySet<string> | null, chosen: readonly ParsedDocument[]): void {
  const found = new Set(chosen.map(({ profile }) => entityKey(profile)))
  const absent = [...(companies ?? [])].filter(company => !found.has(company))
  if (absent.length === 0) return
  throw new Failure(
    'parameter_invalid',
    `The files do not contain ${absent.slice(0, 10).join(', ')}. Add their files, or remove them from the list.`,
    {
      param: 'companies',
    },
  )
}

function entityText(profile: EntityProfile): string {
  const { market, issuerId, tickers = [], tickersAssumed, name = null, otherNames = [] } = profile
  const unwritable = otherNames.find(other => other.includes(nameSeparator))
  if (unwritable !== undefined)
    throw new Failure(
      'body_invalid',
      `${entityKey(profile)} has the name ${unwritable}, which contains |. The sample cannot store that character.`,
    )
  return csvLine([
    market,
    issuerId,
    tickers.join(' '),
    tickersAssumed ? 'yes' : null,
    name,
    otherNames.join(nameSeparator),
    profile.fiscalYearEnd ?? null,
  ])
}

interface Line {
  readonly reported: ReportedFact
  readonly fy: number
  readonly fp: FiscalPeriod
}

function linesOf({ profile, reportedFacts, filings: stated }: ParsedDocument): Line[] {
  const { rules } = registerOf(profile.market)
  const filings = new Map<string, Filing>()
  for (const filing of stated) {
    const known = filings.get(filing.accession)
    filings.set(filing.accession, known === undefined ? filing : mergeFilings(known, filing))
  }
  for (const { filing } of groupByFiling(reportedFacts, filings)) filings.set(filing.accession, filing)
  const { fiscalYearEnd = null } = profile
  const derived = deriveFacts(reportedFacts, { rules, fiscalYearEnd, filings })
  const lines: Line[] = []
  for (const { reported, label } of derived.repeats) {
    const filing = filings.get(reported.filing.accession) ?? reported.filing
    if (label !== null) lines.push({ reported: { ...reported, filing }, ...label })
  }
  for (const fact of derived.facts) {
    const { metric, tag, unit, start, end, value, rounded, filing, fy, fp } = fact
    if (tag !== null)
      lines.push({ reported: { metric, tag, unit, start, end, value, rounded, filing }, fy, fp })
  }
  return lines.sort(compareLines)
}

function compareLines(a: Line, b: Line): number {
  const order = compareFilings(a.reported.filing, b.reported.filing)
  if (order !== 0) return order
  const left = `${servedMetric(a.reported)} ${isoDate(a.reported.end)} ${a.fp}`
  const right = `${servedMetric(b.reported)} ${isoDate(b.reported.end)} ${b.fp}`
  return left < right ? -1 : left > right ? 1 : 0
}

function servedMetric({ metric, start, end }: ReportedFact): string {
  return metric.endsWith('_ytd') ? metric : storedMetric(metric, spanOf(start, end) ?? 0)
}

const periodNames: Readonly<Record<FiscalPeriod, string>> = {
  0: 'FY',
  1: 'Q1',
  2: 'Q2',
  3: 'Q3',
  4: 'Q4',
  5: 'TTM',
}

function lineText({ reported, fy, fp }: Line, ticker: string, market: string, issuerId: string): string {
  const { filing } = reported
  return csvLine([
    servedMetric(reported),
    fy,
    periodNames[fp],
    isoDate(reported.end),
    isoDate(filing.filed),
    reported.value,
    reported.unit,
    ticker,
    issuerId,
    reported.start === null ? null : isoDate(reported.start),
    reported.tag,
    filing.accession,
    filing.form,
    filing.acceptedAt === null ? null : new Date(filing.acceptedAt).toISOString(),
    market,
  ])
}

/** Everything that some files of a register state, in memory. A file that cannot be read is a failure. */
export async function readParsedDocuments(
  register: Register,
  paths: readonly string[],
): Promise<ParsedDocument[]> {
  const progress = newReadProgress()
  const documents: ParsedDocument[] = []
  const files = await listFiles(paths, register.documentNames)
  for await (const unit of readUnits(register, files, new Set(), progress)) documents.push(...unit.parsed)
  const [fault] = progress.skipped
  if (fault !== undefined) throw new Failure('body_invalid', `${fault.name}: ${fault.reason}`)
  return documents
}
