import { Type } from '@sinclair/typebox'
import type { Row } from '../../formats/columns.ts'
import { type CursorScope, PositionCursors, refusedCursor } from '../../http/cursor.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { isFreeData } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import { nearNames } from '../../spelling.ts'
import { type KnownFiling, readFiguresOf } from '../../wholeFilings/knownFilingQueries.ts'
import { quartersOf } from '../../wholeFilings/layOut.ts'
import { axisKey, hasTagKey, tagKey } from '../../wholeFilings/tags.ts'
import type { ReportedFigure } from '../../wholeFilings/wholeFiling.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { periodOf, statedValue } from './cells.ts'
import { readReports } from './chooseFilings.ts'
import { companyFields, type FilingsOfCompany, planFilingsOf, readableFilings } from './company.ts'
import { FilingReader, maxFilingsRead, type WholeFilingDeps } from './filingReader.ts'
import {
  defaultReported,
  type ReportedList,
  type ReportedQuery,
  type ReportedRow,
  type reportedSheet,
} from './reportedSchema.ts'

/** A request for the figures of a tag after all decisions. */
export interface ReportedPlan extends FilingsOfCompany {
  readonly tag: string
  readonly dimensions: string
  readonly limit: number
  readonly after: Position | null
  readonly scope: CursorScope
  readonly cacheKey: string
}

/** The position of the next figure: how many figures of the filing come before it. */
interface Position {
  readonly accession: string
  readonly skipped: number
  /** Data version of the first page. */
  readonly dataVersion: number
}

/** Company, `as_of`, accession, number of figures already sent, data version. */
const positions = new PositionCursors(
  Type.Tuple([Type.Integer(), Type.String(), Type.String(), Type.Integer(), Type.Integer()]),
)

export async function planReported(
  deps: CompanyDeps,
  rights: Rights,
  query: ReportedQuery,
): Promise<ReportedPlan> {
  const company = await planFilingsOf(deps, rights, query)
  const { tag, dimensions = 'none', limit = defaultReported, cursor } = query
  const scope = {
    route: 'reported',
    rights: isFreeData(rights) ? 'free' : 'full',
    query: [tag, dimensions],
  }
  const after = cursor === undefined ? null : readPosition(deps, scope, company, cursor)
  const plan = { ...company, tag, dimensions, limit, after }
  return { ...plan, scope, cacheKey: `reported ${JSON.stringify(Object.values(plan))}` }
}

function readPosition(
  { cursors }: Pick<CompanyDeps, 'cursors'>,
  scope: CursorScope,
  { entityId, asOf }: FilingsOfCompany,
  cursor: string,
): Position {
  const [ofEntity, ofDay, accession, skipped, dataVersion] = positions.read(cursors, scope, cursor)
  if (ofEntity !== entityId)
    throw refusedCursor('cursor belongs to another company. Omit cursor for the first page.')
  if (ofDay !== asOf)
    throw refusedCursor(
      `cursor belongs to a page as of ${ofDay}, not ${asOf}. Send as_of=${ofDay} with it, or omit cursor for the first page.`,
    )
  return { accession, skipped, dataVersion }
}

/** @param deps with the connection of a snapshot: several statements read one state of the data */
export async function readReported(
  deps: WholeFilingDeps & Pick<CompanyDeps, 'cursors'> & { readonly sql: SqlClient },
  plan: ReportedPlan,
): Promise<ReportedList> {
  const { sql } = deps
  const [dataVersion, known] = await Promise.all([readDataVersion(sql), readableFilings(sql, plan)])
  const { years } = await readReports(deps, plan, known, new FilingReader(deps))
  const begin = plan.after === null ? 0 : known.findIndex(each => each.accession === plan.after?.accession)
  if (begin < 0)
    throw refusedCursor(
      'cursor continues at a filing that is no longer on record. Omit cursor for the first page.',
    )
  const page = await readPage(deps, plan, known.slice(begin))
  const data = page.found.map(
    ({ filing, figure }): ReportedRow => ({
      tag: figure.concept,
      ...periodOf(figure.context, years),
      dimensions: figure.context.dimensions.map(({ axis, member }) => `${axis}=${member}`),
      ...statedValue(figure),
      filed: filing.filed,
      form: filing.form,
      accession: filing.accession,
    }),
  )
  const firstVersion = plan.after?.dataVersion ?? dataVersion
  const { next } = page
  return {
    object: 'reported_list',
    tag: plan.tag,
    dimensions: plan.dimensions,
    ...companyFields(deps, plan, dataVersion, [
      ...(firstVersion === dataVersion ? [] : [versionNote(plan, firstVersion, dataVersion)]),
      ...(data.length === 0 ? [emptyNote(plan, page, known.length)] : []),
    ]),
    filings: page.filings,
    count: data.length,
    next:
      next === null
        ? null
        : positions.write(deps.cursors, plan.scope, [
            plan.entityId,
            plan.asOf,
            next.accession,
            next.skipped,
            firstVersion,
          ]),
    data,
  }
}

interface Page {
  readonly found: readonly { readonly filing: KnownFiling; readonly figure: ReportedFigure }[]
  readonly filings: number
  readonly next: Pick<Position, 'accession' | 'skipped'> | null
  /** The tags of the filings on the page, for a hint if it is empty. */
  readonly tags: readonly (readonly string[])[]
}

/** Filings are read in groups, because a page is often full after a few of them. */
const filingsPerRead = 20

async function readPage(
  { sql, terms }: WholeFilingDeps & { readonly sql: SqlClient },
  { tag, dimensions, limit, after }: ReportedPlan,
  filings: readonly KnownFiling[],
): Promise<Page> {
  const found: { filing: KnownFiling; figure: ReportedFigure }[] = []
  const wanted = tagKey(tag)
  const tags: (readonly string[])[] = []
  const choose = (concepts: readonly string[]) => {
    tags.push(concepts)
    return new Set(concepts.filter(concept => hasTagKey(concept, wanted)))
  }
  const fits = fitsDimensions(dimensions)
  for (let read = 0; read < Math.min(filings.length, maxFilingsRead); read += filingsPerRead) {
    const group = filings.slice(read, Math.min(read + filingsPerRead, maxFilingsRead))
    const figures = await readFiguresOf(sql, terms, group, choose)
    for (const [at, filing] of group.entries()) {
      const skipped = read + at === 0 ? (after?.skipped ?? 0) : 0
      const fitting = distinct(figures[at].filter(fits)).sort(compareFigures).slice(skipped)
      const room = limit - found.length
      for (const figure of fitting.slice(0, room)) found.push({ filing, figure })
      if (fitting.length > room)
        return {
          found,
          filings: read + at + 1,
          tags,
          next: { accession: filing.accession, skipped: skipped + room },
        }
    }
  }
  const following = filings.at(maxFilingsRead)
  return {
    found,
    filings: Math.min(filings.length, maxFilingsRead),
    tags,
    next: following === undefined ? null : { accession: following.accession, skipped: 0 },
  }
}

/** A document may state the same figure in several places. Figures that differ in value or accuracy stay apart. */
function distinct(figures: readonly ReportedFigure[]): ReportedFigure[] {
  const byContent = new Map<string, ReportedFigure>()
  for (const figure of figures) {
    const { start, end, quarters } = figure.context
    const key = `${start} ${end} ${quarters} ${textOf(figure)}`
    if (!byContent.has(key)) byContent.set(key, figure)
  }
  return [...byContent.values()]
}

function fitsDimensions(wanted: string): (figure: ReportedFigure) => boolean {
  if (wanted === 'all') return () => true
  if (wanted === 'none') return ({ context }) => context.dimensions.length === 0
  const axis = axisKey(wanted)
  return ({ context }) => context.dimensions.some(each => axisKey(each.axis) === axis)
}

/** The latest period first, and short ones before long ones; then by dimensions. */
function compareFigures(a: ReportedFigure, b: ReportedFigure): number {
  return (
    b.context.end - a.context.end ||
    quartersOf(a.context) - quartersOf(b.context) ||
    compareTexts(textOf(a), textOf(b))
  )
}

const textOf = ({ concept, context, unit, value, decimals }: ReportedFigure) =>
  JSON.stringify([
    context.dimensions.map(each => [each.axis, each.member]),
    concept,
    unit,
    value,
    String(decimals),
  ])

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function emptyNote(
  { ticker, tag, dimensions, asOf, after }: ReportedPlan,
  page: Page,
  known: number,
): string {
  if (known === 0)
    return `No filing of ${ticker} that was public on ${asOf} is on record with all its figures.`
  if (page.next !== null) return `No filing on this page states ${tag}; \`next\` continues.`
  if (after !== null) return `No earlier filing states ${tag}.`
  const near = nearNames(tag, new Set(page.tags.flat()), 3)
  const hint = near.length > 0 && !near.includes(tag) ? ` Did you mean ${near.join(', ')}?` : ''
  const which = dimensions === 'all' ? '' : ` with dimensions=${dimensions}`
  return `No filing of ${ticker} that was public on ${asOf} states ${tag}${which}.${hint}`
}

const versionNote = ({ freeLicence }: ReportedPlan, first: number, now: number) =>
  `The first page has data version ${first}, this page has ${now}: filings imported in between may be missing from earlier pages. To read one data version, ${freeLicence ? 'start again without cursor' : `send data_version=${first} with the cursor`}.`

type ReportedColumn = (typeof reportedSheet)[number]['name']

/** The figures of an answer as rows of a table. */
export function* reportedRows({ data }: ReportedList): Generator<Row<ReportedColumn>> {
  for (const { decimals, ...row } of data)
    yield { ...row, decimals: decimals === null ? null : String(decimals) }
}
