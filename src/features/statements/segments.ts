import { Failure } from '../../errors.ts'
import type { Row } from '../../formats/columns.ts'
import { readMetrics } from '../../markets/parameters.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import type { Rights } from '../../rights/rights.ts'
import { breakdownsOf, type Breakdown as FoundBreakdown, segmentAxes } from '../../wholeFilings/breakdowns.ts'
import { differenceOfDecimals, sumOfDecimals } from '../../wholeFilings/decimals.ts'
import { plainTitle } from '../../wholeFilings/kindOfStatement.ts'
import type { KnownFiling, StoredFiling } from '../../wholeFilings/knownFilingQueries.ts'
import { isInstant, type Period, quartersOf } from '../../wholeFilings/layOut.ts'
import { axisKey, tagKey } from '../../wholeFilings/tags.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { periodOf, statedValue } from './cells.ts'
import { mayShow, type Report, readReports } from './chooseFilings.ts'
import {
  companyFields,
  type FilingsOfCompany,
  filingUsed,
  planFilingsOf,
  readableFilings,
  refused,
} from './company.ts'
import { FilingReader, maxFilingsRead, type WholeFilingDeps } from './filingReader.ts'
import type { FiscalLabel, FiscalYears } from './fiscalYears.ts'
import type { Breakdown, SegmentsAnswer, SegmentsQuery, segmentSheet } from './segmentsSchema.ts'

/** A request for breakdowns after all decisions. */
export interface SegmentsPlan extends FilingsOfCompany {
  readonly metric: string | null
  /** By `tagKey`, in order of preference. */
  readonly tags: readonly string[]
  readonly axis: string
  readonly asked: Partial<FiscalLabel>
  readonly cacheKey: string
}

/** The tags under which a market's register reports a metric, the preferred group first. */
export type TagGroups = (market: string, metric: string) => readonly (readonly string[])[]

export async function planSegments(
  deps: CompanyDeps & { readonly tagGroups: TagGroups },
  rights: Rights,
  query: SegmentsQuery,
): Promise<SegmentsPlan> {
  const { metric, tag, axis, fp, fy } = query
  if ((metric === undefined) === (tag === undefined))
    throw refused(
      metric === undefined ? 'metric' : 'tag',
      'Send either metric (for example metric=revenue) or tag (for example tag=us-gaap:Revenues).',
    )
  readMetrics(deps.markets.metrics, metric)
  const company = await planFilingsOf(deps, rights, query)
  const tags = tag === undefined ? deps.tagGroups(company.market, metric ?? '').flat() : [tag]
  if (tags.length === 0)
    throw new Failure(
      'parameter_invalid',
      `The register of market ${company.market} reports ${metric} under no tag of its own, so it has no breakdown. Send tag.`,
      { param: 'metric' },
    )
  const plan = {
    ...company,
    metric: metric ?? null,
    tags: tags.map(tagKey),
    axis,
    asked: { ...(fp === undefined ? {} : { fp }), ...(fy === undefined ? {} : { fy }) },
  }
  return { ...plan, cacheKey: `segments ${JSON.stringify(Object.values(plan))}` }
}

/** An answer with what it was chosen from. */
export interface SegmentsRead {
  readonly answer: SegmentsAnswer
  readonly known: readonly KnownFiling[]
  readonly reports: readonly Report[]
  /** The names of the API for axes by which the filing of the answer, or else the latest report, divides the metric. */
  readonly dividedBy: readonly string[]
}

export const readSegments = async (
  deps: WholeFilingDeps & { readonly sql: SqlClient },
  plan: SegmentsPlan,
): Promise<SegmentsAnswer> => (await readFound(deps, plan)).answer

/** @param deps with the connection of a snapshot: several statements read one state of the data */
export async function readSegmentsWithSources(
  deps: WholeFilingDeps & { readonly sql: SqlClient },
  plan: SegmentsPlan,
): Promise<SegmentsRead> {
  const { answer, known, reports, found, reader } = await readFound(deps, plan)
  const filing = found?.filing ?? reports.at(0)?.filing
  const whole = filing === undefined ? null : await reader.read(filing)
  const accepts = found?.accepts ?? (() => true)
  const dividedBy = Object.keys(segmentAxes).filter(
    axis => whole !== null && inFiling({ ...plan, axis }, whole, accepts) !== null,
  )
  return { answer, known, reports, dividedBy }
}

async function readFound(deps: WholeFilingDeps & { readonly sql: SqlClient }, plan: SegmentsPlan) {
  const { sql } = deps
  const [dataVersion, known] = await Promise.all([readDataVersion(sql), readableFilings(sql, plan)])
  const reader = new FilingReader(deps)
  const { reports, years } = await readReports(deps, plan, known, reader)
  const found = await findBreakdowns(plan, reports, years, reader)
  const data = (found?.breakdowns ?? []).map(each => breakdownOf(each, years))
  const answer: SegmentsAnswer = {
    object: 'segments',
    metric: plan.metric,
    ...companyFields(deps, plan, dataVersion, found === null ? [noneNote(plan, reports.length, reader)] : []),
    tag: found?.tag ?? null,
    filing: found === null ? null : filingUsed(deps, plan, found.filing),
    count: data.length,
    data,
  }
  return { answer, known, reports, found, reader }
}

interface Found {
  readonly filing: KnownFiling
  /** The periods that were asked for. */
  readonly accepts: (period: Period) => boolean
  readonly tag: string
  readonly breakdowns: readonly FoundBreakdown[]
}

/** The breakdowns of the latest filing that has any, for the fiscal period that was asked for or for all its periods. */
async function findBreakdowns(
  plan: SegmentsPlan,
  reports: readonly Report[],
  years: FiscalYears,
  reader: FilingReader,
): Promise<Found | null> {
  const { fp, fy } = plan.asked
  const own = reports.filter(
    ({ label }) => (fp === undefined || label?.fp === fp) && (fy === undefined || label?.fy === fy),
  )
  const isAsked = fp !== undefined || fy !== undefined
  const target = fp !== undefined && fy !== undefined ? { fp, fy } : (own.at(0)?.label ?? null)
  if (isAsked && target === null) return null
  const candidates = isAsked && target !== null ? mayShow(reports, target) : reports
  const accepts = (period: Period) => !isAsked || target === null || isOn(period, target, years)
  for (const { filing } of candidates) {
    if (reader.left === 0) return null
    const found = inFiling(plan, await reader.read(filing), accepts)
    if (found !== null) return { filing, accepts, ...found }
  }
  return null
}

function isOn(period: Period, { fy, fp }: FiscalLabel, years: FiscalYears): boolean {
  const label = years.labelOf(period.end)
  const isYear = quartersOf(period) === 4
  return label?.fy === fy && label.fp === fp && (isInstant(period) || isYear === (fp === 'FY'))
}

type Divided = Omit<Found, 'filing' | 'accepts'>

/** The first of the tags that the filing divides among several members, or else among one. */
function inFiling(
  { tags, axis }: SegmentsPlan,
  filing: StoredFiling,
  accepts: (period: Period) => boolean,
): Divided | null {
  const name = axis.toLowerCase()
  const wanted = new Set((Object.hasOwn(segmentAxes, name) ? segmentAxes[name] : [axis]).map(axisKey))
  const concepts = filing.concepts.filter(concept => tags.includes(tagKey(concept)))
  concepts.sort((a, b) => tags.indexOf(tagKey(a)) - tags.indexOf(tagKey(b)))
  let single: Divided | null = null
  for (const tag of concepts) {
    const figures = filing.figuresOf(new Set([tag]))
    const breakdowns = breakdownsOf(filing, tag, figures, wanted).filter(({ period }) => accepts(period))
    if (breakdowns.some(({ members }) => members.length > 1)) return { tag, breakdowns }
    if (breakdowns.length > 0) single ??= { tag, breakdowns }
  }
  return single
}

function breakdownOf(found: FoundBreakdown, years: FiscalYears): Breakdown {
  const { axis, statement, period, unit, total, members } = found
  const sum = sumOfDecimals(
    members.flatMap(({ partOf, figure }) => (partOf === null ? (figure.value ?? []) : [])),
  )
  const whole = total?.value ?? null
  return {
    axis,
    title: statement === null ? null : plainTitle(statement),
    ...periodOf(period, years),
    unit,
    total: whole,
    sum,
    difference: whole === null ? null : differenceOfDecimals(whole, sum),
    members: members.map(({ member, label, partOf, figure }) => ({
      member,
      label,
      part_of: partOf,
      ...statedValue(figure),
    })),
  }
}

function noneNote(
  { ticker, asOf, asked: { fp, fy }, metric, tags, axis }: SegmentsPlan,
  reports: number,
  reader: FilingReader,
): string {
  if (reports === 0)
    return `No filing of ${ticker} that was public on ${asOf} is on record with its statements.`
  if (reader.left === 0 && reports > maxFilingsRead)
    return `The latest ${maxFilingsRead} reports of ${ticker} that were public on ${asOf} do not divide ${metric ?? tags[0]} by ${axis}. Earlier ones were not read: send fy for an earlier year.`
  const period = [fp, fy].filter(part => part !== undefined).join(' of ')
  const on = period === '' ? '' : ` for ${period}`
  return `No report of ${ticker} that was public on ${asOf} divides ${metric ?? tags[0]} by ${axis}${on}. GET /api/v1/reported?ticker=${ticker}&tag=...&dimensions=all shows every axis of a tag.`
}

/** The members of an answer as rows of a table. */
export function* memberRows(answer: SegmentsAnswer): Generator<Row<(typeof segmentSheet)[number]['name']>> {
  const { ticker, tag, filing } = answer
  const from = { accession: filing?.accession ?? null, filed: filing?.filed ?? null }
  for (const { members, ...breakdown } of answer.data)
    for (const { decimals, ...member } of members)
      yield {
        ticker,
        tag,
        ...breakdown,
        ...member,
        decimals: decimals === null ? null : String(decimals),
        ...from,
      }
}
