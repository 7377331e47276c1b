import { gzipSync } from 'node:zlib'
import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { deriveFacts } from '../../facts/deriveFacts.ts'
import { compareFilings, gatherFilings, mergeFilings } from '../../facts/filings.ts'
import type {
  Contribution,
  EntityProfile,
  Filing,
  FiscalPeriod,
  Statement,
} from '../../facts/reportedFact.ts'
import { spanOf, storedMetric } from '../../facts/spans.ts'
import { csvLine } from '../../formats/columns.ts'
import { readUnits } from '../import/documents.ts'
import { listFiles } from '../import/files.ts'
import { mergeContributions } from '../import/prepareBatch.ts'
import { startReading } from '../reading/progress.ts'
import type { Register } from '../registers/register.ts'
import { registerOf } from '../registers/registers.ts'

export interface SampleFiles {
  /** `entities.csv` */
  readonly entities: string
  /** `fundamentals.csv.gz` */
  readonly fundamentals: Uint8Array
  readonly statements: number
  readonly companies: number
}

export const sampleColumns = [
  'm',
  'fy',
  'fp',
  'end',
  'filed',
  'v',
  'u',
  'ticker',
  'issuer_id',
  'start',
  'tag',
  'accession',
  'form',
  'accepted_at',
  'market',
] as const

export const entityColumns = [
  'market',
  'issuer_id',
  'tickers',
  'tickers_assumed',
  'name',
  'other_names',
  'fiscal_year_end',
] as const

/** Stands between the other names of an entity: no register writes it into one. */
export const nameSeparator = '|'

const periodNames: Readonly<Record<FiscalPeriod, string>> = { 0: 'FY', 1: 'Q1', 2: 'Q2', 3: 'Q3', 4: 'Q4' }

interface Line {
  readonly statement: Statement
  readonly fy: number
  readonly fp: FiscalPeriod
}

/** The statements of some entities as served rows with the tag, accession, form and acceptance time of each
 * added: all that the service needs to derive the rest again. The same inputs give the same bytes.
 *
 * @param companies the entities that the sample is of, as `sampleKey` names them, with figures or without; null: all that
 * have figures */
export function makeSample(
  contributions: readonly Contribution[],
  companies: ReadonlySet<string> | null = null,
): SampleFiles {
  const chosen = mergeContributions(contributions)
    .filter(({ profile, statements }) =>
      companies === null ? statements.length > 0 : companies.has(sampleKey(profile)),
    )
    .sort((a, b) => (sampleKey(a.profile) < sampleKey(b.profile) ? -1 : 1))
  refuseAbsent(companies, chosen)
  let entities = csvLine([...entityColumns])
  let text = csvLine([...sampleColumns])
  let statements = 0
  for (const contribution of chosen) {
    const { market, issuerId, tickers = [] } = contribution.profile
    entities += entityText(contribution.profile)
    for (const line of linesOf(contribution)) {
      text += lineText(line, tickers[0] ?? `CIK${issuerId}`, market, issuerId)
      statements++
    }
  }
  const fundamentals = gzipSync(text, { level: 9 })
  // The byte that names the operating system would make the file depend on where it was made.
  fundamentals[9] = 255
  return { entities, fundamentals, statements, companies: chosen.length }
}

/** `JP E02367`. */
export const sampleKey = ({ market, issuerId }: Pick<EntityProfile, 'market' | 'issuerId'>) =>
  `${market} ${issuerId}`

function refuseAbsent(companies: ReadonlySet<string> | null, chosen: readonly Contribution[]): void {
  const found = new Set(chosen.map(({ profile }) => sampleKey(profile)))
  const absent = [...(companies ?? [])].filter(company => !found.has(company))
  if (absent.length === 0) return
  throw new Failure('parameter_invalid', `No file names ${absent.slice(0, 10).join(', ')}.`, {
    param: 'companies',
  })
}

function entityText(profile: EntityProfile): string {
  const { market, issuerId, tickers = [], tickersAssumed, name = null, otherNames = [] } = profile
  const unwritable = otherNames.find(other => other.includes(nameSeparator))
  if (unwritable !== undefined)
    throw new Failure(
      'body_invalid',
      `${sampleKey(profile)} is also called ${unwritable}: a | cannot be written.`,
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

function linesOf(contribution: Contribution): Line[] {
  const { rules } = registerOf(contribution.profile.market)
  const filings = new Map<string, Filing>()
  for (const filing of contribution.filings) {
    const known = filings.get(filing.accession)
    filings.set(filing.accession, known === undefined ? filing : mergeFilings(known, filing))
  }
  const { fiscalYearEnd = null } = contribution.profile
  const lines: Line[] = []
  for (const filed of gatherFilings(contribution.statements, filings))
    filings.set(filed.filing.accession, filed.filing)
  const derived = deriveFacts(contribution.statements, { rules, fiscalYearEnd, filings })
  for (const { statement, label } of derived.repeats) {
    const filing = filings.get(statement.filing.accession) ?? statement.filing
    if (label !== null) lines.push({ statement: { ...statement, filing }, ...label })
  }
  for (const fact of derived.facts) {
    const { metric, tag, unit, start, end, value, rounded, filing, fy, fp } = fact
    if (tag !== null)
      lines.push({ statement: { metric, tag, unit, start, end, value, rounded, filing }, fy, fp })
  }
  return lines.sort(compareLines)
}

function compareLines(a: Line, b: Line): number {
  const order = compareFilings(a.statement.filing, b.statement.filing)
  if (order !== 0) return order
  const left = `${servedMetric(a.statement)} ${isoDate(a.statement.end)} ${a.fp}`
  const right = `${servedMetric(b.statement)} ${isoDate(b.statement.end)} ${b.fp}`
  return left < right ? -1 : left > right ? 1 : 0
}

function servedMetric(statement: Statement): string {
  if (statement.metric.endsWith('_ytd')) return statement.metric
  return storedMetric(statement.metric, spanOf(statement.start, statement.end) ?? 0)
}

function lineText({ statement, fy, fp }: Line, ticker: string, market: string, issuerId: string): string {
  const { filing } = statement
  return csvLine([
    servedMetric(statement),
    fy,
    periodNames[fp],
    isoDate(statement.end),
    isoDate(filing.filed),
    statement.value,
    statement.unit,
    ticker,
    issuerId,
    statement.start === null ? null : isoDate(statement.start),
    statement.tag,
    filing.accession,
    filing.form,
    filing.acceptedAt === null ? null : new Date(filing.acceptedAt).toISOString(),
    market,
  ])
}

/** Everything that some files of a register say, in memory; a file that cannot be read is a failure. */
export async function readContributions(
  register: Register,
  paths: readonly string[],
): Promise<Contribution[]> {
  const progress = startReading()
  const contributions: Contribution[] = []
  for await (const unit of readUnits(
    register,
    await listFiles(paths, register.documentNames),
    new Set(),
    progress,
  )) {
    contributions.push(...unit.contributions)
  }
  const [fault] = progress.skipped
  if (fault !== undefined) throw new Failure('body_invalid', `${fault.name}: ${fault.reason}`)
  return contributions
}
