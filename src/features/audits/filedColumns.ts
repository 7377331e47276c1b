import { setImmediate } from 'node:timers/promises'
import { dayNumber, type IsoDate } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { type StandardStatement, standardStatements } from '../../standardLines/definition.ts'
import { lineValue } from '../../standardLines/lineValues.ts'
import { presentBySchema, presentsFigures } from '../../standardLines/presentBySchema.ts'
import { standardFiling } from '../../standardLines/standardFiling.ts'
import { standardLines } from '../../standardLines/standardLines.ts'
import {
  type FilingContent,
  listFilingContents,
  openWholeFilings,
  readFiguresOf,
  type StoredFiling,
} from '../../wholeFilings/knownFilingQueries.ts'
import { hasTagKey, tagKey } from '../../wholeFilings/tags.ts'
import type { Terms } from '../../wholeFilings/terms.ts'
import type { ReportedFigure } from '../../wholeFilings/wholeFiling.ts'
import { readIndustries } from '../statements/industryQueries.ts'
import { withFiguresOfFaces } from '../statements/standardStatement.ts'
import { type FiledVintage, filedVintages, type StatedContent } from './filedVintages.ts'

/** A tag or a standard line whose figures are read from whole filings. */
export interface FiledName {
  readonly kind: 'tag' | 'line'
  readonly name: string
  /** Only figures in this currency count; null: all. */
  readonly currency: string | null
}

export interface FiledCompany {
  readonly entityId: number
  readonly market: string
}

/** The largest filings have some 40,000 figures, which take 10 MB when they are decoded. */
const filingsPerRead = 8

/**
 * The vintages of some tags and lines of a company, from its filings that were public on a day. The value of a line is that of the
 * tags that each filing itself presents on it, with the sign of the line.
 *
 * @returns the vintages of each name, in the order of `names`
 */
export async function readCompanyVintages(
  sql: SqlClient,
  terms: Terms,
  { entityId, market }: FiledCompany,
  names: readonly FiledName[],
  today: IsoDate,
  signal: AbortSignal,
): Promise<readonly (readonly FiledVintage[])[]> {
  const hasTags = names.some(({ kind }) => kind === 'tag')
  const hasLines = names.some(({ kind }) => kind === 'line')
  const known = await listFilingContents(sql, entityId, today)
  const presents = (content: FilingContent) => content.lines > 0 || presentsFigures(market)
  const read = hasTags ? known : known.filter(presents)
  const industries = hasLines && read.length > 0 ? await readIndustries(sql, entityId, today) : []
  const contents: StatedContent[][] = names.map(() => [])
  for (let at = 0; at < read.length; at += filingsPerRead) {
    signal.throwIfAborted()
    const group = read.slice(at, at + filingsPerRead)
    const stated = hasLines
      ? await linesAndTags(sql, terms, market, group, names, industries)
      : await tagsAlone(sql, terms, group, names)
    for (const [index, content] of group.entries())
      for (const [name, figures] of stated[index].entries()) {
        const { order, since, accession, seenOn, isEdit, source } = content
        contents[name].push({
          order,
          since: dayNumber(since),
          // As the vintages of mapped figures are named.
          accession: isEdit ? `${accession}@${seenOn}` : accession,
          source,
          figures,
        })
      }
  }
  return contents.map((ofName, name) => filedVintages(ofName, names[name].currency))
}

/** For each filing, the figures of each name. */
type StatedFigures = readonly (readonly (readonly ReportedFigure[])[])[]

async function tagsAlone(
  sql: SqlClient,
  terms: Terms,
  filings: readonly FilingContent[],
  names: readonly FiledName[],
): Promise<StatedFigures> {
  const keys = names.map(({ name }) => tagKey(name))
  const choose = (concepts: readonly string[]) =>
    new Set(concepts.filter(concept => keys.some(key => hasTagKey(concept, key))))
  const figures = await readFiguresOf(sql, terms, filings, choose)
  return figures.map(ofFiling => keys.map(key => ofFiling.filter(({ concept }) => hasTagKey(concept, key))))
}

type Industries = Awaited<ReturnType<typeof readIndustries>>

async function linesAndTags(
  sql: SqlClient,
  terms: Terms,
  market: string,
  filings: readonly FilingContent[],
  names: readonly FiledName[],
  industries: Industries,
): Promise<StatedFigures> {
  const opened = await openWholeFilings(sql, terms, filings)
  const stated: (readonly ReportedFigure[])[][] = []
  const wanted = standardStatements.filter(statement =>
    standardLines.some(
      line =>
        line.statement === statement && names.some(({ kind, name }) => kind === 'line' && name === line.name),
    ),
  )
  for (const [at, filing] of opened.entries()) {
    // Placing the lines of a filing takes milliseconds, in which other requests would wait.
    await setImmediate()
    const industry = industries.findLast(({ since }) => since <= filings[at].since)?.code ?? null
    const ofLine = figuresOfLines(presentBySchema(market, filing), industry, wanted)
    stated.push(
      names.map(({ kind, name }) => {
        if (kind === 'line') return ofLine(name)
        const key = tagKey(name)
        const concepts = filing.concepts.filter(concept => hasTagKey(concept, key))
        return concepts.length === 0 ? [] : filing.figuresOf(new Set(concepts))
      }),
    )
  }
  return stated
}

/** Finds the values of a line in a filing, as figures of that name. */
function figuresOfLines(
  filing: StoredFiling,
  industry: number | null,
  wanted: readonly StandardStatement[],
): (line: string) => readonly ReportedFigure[] {
  const { statements } = standardFiling(withFiguresOfFaces(filing), industry, wanted)
  return line => {
    // Some lines stand on two statements. The income statement comes before that of cash flows.
    for (const statement of statements.values()) {
      const placed = statement.placed.find(one => one.line.name === line)
      if (placed === undefined) continue
      return statement.columns.flatMap(({ period }, column): ReportedFigure[] => {
        const found = period === null ? null : lineValue(statement, placed, column)
        if (period === null || found === null) return []
        const { value, unit, decimals } = found
        // Data sets write the currency alone for amounts per share.
        const isBare = placed.line.unit === 'currency/share' && /^[A-Z]{3}$/.test(unit)
        return [
          {
            concept: line,
            context: { ...period, dimensions: [] },
            unit: isBare ? `${unit}/shares` : unit,
            decimals,
            value,
          },
        ]
      })
    }
    return []
  }
}

const lineNames: ReadonlySet<string> = new Set(standardLines.map(({ name }) => name))

/** Whether a standard line has this name. */
export const isLine = (name: string): boolean => lineNames.has(name)

/** The names of all standard lines. */
export const allLines = (): Iterable<string> => lineNames
