import { gzipSync } from 'node:zlib'
import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { settleFilings } from '../../facts/clockReadings.ts'
import { deriveFacts } from '../../facts/deriveFacts.ts'
import type { FiscalPeriod, RepeatRow } from '../../facts/factRow.ts'
import { compareFilings, groupByFiling, mergeFilings } from '../../facts/filings.ts'
import {
  type EntityProfile,
  entityKey,
  type Filing,
  type ParsedDocument,
  type ReportedFact,
  unknownFilingDate,
} from '../../facts/reportedFact.ts'
import { spanOf, storedMetric } from '../../facts/spans.ts'
import { csvLine } from '../../formats/csv.ts'
import type { StatedFiling } from '../../wholeFilings/statedFiling.ts'
import { registerOf } from '../allRegisters.ts'
import { listFiles } from '../import/listFiles.ts'
import { mergeParsedDocuments } from '../import/mergeDocuments.ts'
import { readUnits } from '../import/readFiles.ts'
import { newReadProgress } from '../reading/progress.ts'
import type { Register } from '../registers/registerInterface.ts'
import { reportedFactOf } from '../store/storedRows.ts'
import { entityColumns, nameSeparator, readingsText, sampleColumns, yes } from './sampleFormat.ts'

/** Selects the companies of a sample. */
export interface SampleCompanies {
  /** By `entityKey`: companies with or without figures, each of which the files must contain. */
  readonly named: ReadonlySet<string>
  /** Markets whose other companies with figures are all included as well. */
  readonly wholeMarkets: ReadonlySet<string>
}

interface SampleFiles {
  /** `entities.csv` */
  readonly entities: string
  /** `fundamentals.csv.gz` */
  readonly fundamentals: Uint8Array
  readonly reportedFacts: number
  readonly companies: number
}

/**
 * Writes the reported facts of some entities as served rows. Each has its tag, accession, form and acceptance
 * time: the service derives everything else from these. The same inputs give the same bytes.
 *
 * @param companies null for all that have figures
 */
export function makeSample(
  documents: readonly ParsedDocument[],
  companies: SampleCompanies | null = null,
): SampleFiles {
  const chosen = chooseCompanies(mergeParsedDocuments(documents), companies)
  let entities = csvLine([...entityColumns])
  let text = csvLine([...sampleColumns])
  let reportedFacts = 0
  for (const document of chosen) {
    const { market, issuerId, tickers = [] } = document.profile
    entities += entityText(document.profile)
    let accession: string | null = null
    for (const line of linesOf(document)) {
      const { filing } = line.reported
      const stated = filing.accession === accession ? notRepeated : attributesOf(filing)
      accession = filing.accession
      text += lineText(line, [tickers[0] ?? `CIK${issuerId}`, issuerId], market, stated)
      reportedFacts++
    }
  }
  const fundamentals = gzipSync(text, { level: 9 })
  // The byte that names the operating system would make the file depend on where it was made.
  fundamentals[9] = 255
  return { entities, fundamentals, reportedFacts, companies: chosen.length }
}

/**
 * The named companies come first: pages of a market are in import order, and the others may only have a year
 * or two.
 */
function chooseCompanies(
  documents: readonly ParsedDocument[],
  companies: SampleCompanies | null,
): readonly ParsedDocument[] {
  const inOrder = documents.toSorted((a, b) => (entityKey(a.profile) < entityKey(b.profile) ? -1 : 1))
  const withFigures = inOrder.filter(({ reportedFacts }) => reportedFacts.length > 0)
  if (companies === null) return withFigures
  const { named, wholeMarkets } = companies
  const chosen = inOrder.filter(({ profile }) => named.has(entityKey(profile)))
  refuseAbsent(named, chosen)
  const others = withFigures.filter(
    ({ profile }) => wholeMarkets.has(profile.market) && !named.has(entityKey(profile)),
  )
  return [...chosen, ...others]
}

function refuseAbsent(named: ReadonlySet<string>, chosen: readonly ParsedDocument[]): void {
  const found = new Set(chosen.map(({ profile }) => entityKey(profile)))
  const absent = [...named].filter(company => !found.has(company))
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
    tickersAssumed ? yes : null,
    name,
    otherNames.join(nameSeparator),
    profile.fiscalYearEnd ?? null,
    profile.sector ?? null,
    profile.exchange ?? null,
    profile.status ?? null,
  ])
}

interface Line {
  readonly reported: ReportedFact
  /**
   * Null if it fits no fiscal period. It is shipped anyway, because the years of other figures may depend on
   * it.
   */
  readonly label: RepeatRow['label']
}

function linesOf({ profile, reportedFacts, filings: stated }: ParsedDocument): Line[] {
  const { rules, settleTimes = null } = registerOf(profile.market)
  const merged = new Map<string, Filing>()
  for (const filing of stated) {
    const known = merged.get(filing.accession)
    merged.set(filing.accession, known === undefined ? filing : mergeFilings(known, filing))
  }
  for (const { filing } of groupByFiling(reportedFacts, merged)) merged.set(filing.accession, filing)
  const filings = settleFilings(merged, settleTimes)
  const { fiscalYearEnd = null } = profile
  const derived = deriveFacts(reportedFacts, { rules, fiscalYearEnd, filings })
  const lines: Line[] = []
  for (const { reported, label } of derived.repeats) {
    const filing = filings.get(reported.filing.accession) ?? reported.filing
    if (filing.filed !== unknownFilingDate) lines.push({ reported: { ...reported, filing }, label })
  }
  for (const fact of derived.facts) {
    const reported = reportedFactOf(fact, fact.filing)
    if (reported !== null) lines.push({ reported, label: fact })
  }
  return lines.sort(compareLines)
}

function compareLines(a: Line, b: Line): number {
  const order = compareFilings(a.reported.filing, b.reported.filing)
  if (order !== 0) return order
  const [left, right] = [placeOf(a), placeOf(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function placeOf({ reported, label }: Line): string {
  const { end, start, unit, tag, rounded } = reported
  return `${servedMetric(reported)} ${isoDate(end)} ${label?.fp ?? '-'} ${rounded} ${start} ${unit} ${tag}`
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

/** What a filing states about the company, in column order. */
type Attributes = readonly (string | null)[]

const notRepeated: Attributes = [null, null, null, null]

const attributesOf = (filing: Filing): Attributes => [
  filing.fiscalYearEnd ?? null,
  filing.companyName ?? null,
  filing.sector ?? null,
  filing.readings === undefined ? null : readingsText(filing.readings),
]

function lineText(
  { reported, label }: Line,
  ids: readonly [ticker: string, issuerId: string],
  market: string,
  attributes: Attributes,
): string {
  const { filing } = reported
  return csvLine([
    servedMetric(reported),
    label?.fy ?? null,
    label === null ? null : periodNames[label.fp],
    isoDate(reported.end),
    isoDate(filing.filed),
    reported.value,
    reported.unit,
    ...ids,
    reported.start === null ? null : isoDate(reported.start),
    reported.tag,
    filing.accession,
    filing.form,
    filing.acceptedAt === null ? null : new Date(filing.acceptedAt).toISOString(),
    market,
    reported.rounded ? yes : null,
    ...attributes,
  ])
}

export interface RegisterContent {
  readonly documents: readonly ParsedDocument[]
  readonly wholeFilings: readonly StatedFiling[]
}

/**
 * Everything that some files of a register state, in memory. Unreadable files throw.
 *
 * @param accessions of the whole filings that are kept; the others would not fit into memory
 */
export async function readRegisterFiles(
  register: Register,
  paths: readonly string[],
  accessions: readonly string[] = [],
): Promise<RegisterContent> {
  const progress = newReadProgress()
  const documents: ParsedDocument[] = []
  const wholeFilings: StatedFiling[] = []
  const files = await listFiles(paths, register.documentNames)
  for await (const unit of readUnits(register, files, new Set(), progress)) {
    documents.push(...unit.parsed)
    for (const stated of unit.wholeFilings ?? [])
      if (accessions.includes(stated.whole.accession)) wholeFilings.push(stated)
  }
  const [fault] = progress.skipped
  if (fault !== undefined) throw new Failure('body_invalid', `${fault.name}: ${fault.reason}`)
  return { documents, wholeFilings }
}
