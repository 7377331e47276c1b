import { dayNumber, isoDate } from '../../dates.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { BinaryCopyWriter, copyBytes } from '../../postgres/copy.ts'
import { decodeFigures } from '../../wholeFilings/figureBlock.ts'
import type { FrameCode } from '../../wholeFilings/frames.ts'
import { decodePresentation } from '../../wholeFilings/presentationBlock.ts'
import { type FilingPart, type WholeSource, wholeSources } from '../../wholeFilings/statedFiling.ts'
import { loadMoreTerms } from '../../wholeFilings/termQueries.ts'
import type { Terms } from '../../wholeFilings/terms.ts'
import { type EncodedContent, joinPart } from './filingParts.ts'
import type { FilingIds } from './filingQueries.ts'

/** A whole filing in the form in which it is stored. */
export interface EncodedFiling {
  readonly entityId: number
  readonly accession: string
  readonly source: WholeSource
  readonly periodEnd: number | null
  /** See `StatedFiling.seenOn`; null for a register that does not overwrite. */
  readonly seenOn: number | null
  /** See `framesOfFigures`. */
  readonly frames: readonly FrameCode[]
  readonly figures: number
  readonly lines: number
  readonly figureBlock: Uint8Array
  readonly statementBlock: Uint8Array
  /** See `StatedFiling.part`. */
  readonly part?: FilingPart
}

/** What a filing states, in blocks. */
interface Content extends EncodedContent {
  /** Index in `wholeSources`. */
  readonly rank: number
}

/** The content of a filing that was seen on a day; the day is -Infinity for a register that does not overwrite. */
interface Sighting {
  readonly day: number
  readonly content: Content
}

/** A company's content of a filing. Each of several companies that filed one report has its own. */
interface FilingOfCompany {
  readonly id: number
  readonly entityId: number
}

interface AddedRow extends Sighting, FilingOfCompany {}

interface DayOfFiling extends FilingOfCompany {
  readonly day: number
}

/**
 * Stores whole filings, unless the same or a more complete content is on record. What they replace stays readable
 * under pins. Returns how many rows were written.
 */
export async function saveWholeFilings(
  transaction: TransactionSql,
  terms: Terms,
  encoded: readonly EncodedFiling[],
  ids: FilingIds,
): Promise<number> {
  if (encoded.length === 0) return 0
  const byKey = Map.groupBy(encoded, ({ accession, entityId }) => keyOf({ id: ids.id(accession), entityId }))
  const stored = await readSightings(transaction, terms, [
    ...new Set(encoded.map(({ accession }) => ids.id(accession))),
  ])
  const removed: DayOfFiling[] = []
  const added: AddedRow[] = []
  const noLongerRepeated: DayOfFiling[] = []
  const repeated: DayOfFiling[] = []
  for (const [key, stated] of byKey) {
    const [{ accession, entityId }] = stated
    const id = ids.id(accession)
    const sightings = stored.get(key) ?? []
    const [before, after] = [
      sightings,
      stated.reduce((all, one) => withStated(all, one, terms), sightings),
    ].map(inRuns)
    const isIn = (rows: readonly Sighting[], { day, content }: Sighting) =>
      rows.some(row => row.day === day && row.content === content)
    for (const row of before.rows) if (!isIn(after.rows, row)) removed.push({ id, entityId, day: row.day })
    for (const row of after.rows) if (!isIn(before.rows, row)) added.push({ ...row, id, entityId })
    for (const day of before.repeats)
      if (!after.repeats.includes(day)) noLongerRepeated.push({ id, entityId, day })
    for (const day of after.repeats) if (!before.repeats.includes(day)) repeated.push({ id, entityId, day })
  }
  await removeRows(transaction, removed)
  await saveRepeats(transaction, noLongerRepeated, repeated)
  if (added.length === 0) return 0
  await copyBytes(
    transaction,
    'copy whole_filing (filing_id, entity_id, seen_on, period_end, source, frames, figures, lines, figure_block, statement_block) from stdin (format binary)',
    encodeRows(added),
  )
  return added.length
}

/** A filing whose stored content comes from a more complete source than `source`, by company and accession. */
export async function filingsOfBetterSources(
  transaction: TransactionSql,
  stated: readonly Pick<EncodedFiling, 'entityId' | 'accession' | 'source'>[],
): Promise<ReadonlySet<string>> {
  if (stated.length === 0) return new Set()
  const rows = await transaction<{ entityId: number; accession: string; rank: number }[]>`
    select w.entity_id as "entityId", l.accession, max(w.source)::int - 1 as rank
    from filing l join whole_filing w on w.filing_id = l.filing_id
    where l.accession = any(${[...new Set(stated.map(({ accession }) => accession))]})
    group by 1, 2`
  const stored = new Map(rows.map(row => [companyAndAccession(row), row.rank]))
  const best = new Map<string, number>()
  for (const filing of stated) {
    const key = companyAndAccession(filing)
    best.set(key, Math.max(best.get(key) ?? 0, wholeSources.indexOf(filing.source)))
  }
  return new Set([...best].flatMap(([key, rank]) => ((stored.get(key) ?? -1) > rank ? [key] : [])))
}

export const companyAndAccession = ({ entityId, accession }: Pick<EncodedFiling, 'entityId' | 'accession'>) =>
  `${entityId} ${accession}`

/** A map's key of a company's content of a filing. */
const keyOf = ({ id, entityId }: FilingOfCompany) => `${id} ${entityId}`

/**
 * What was seen of a company's filing, in order of days, once another statement of it is read. The result does not depend on
 * the order of the statements, except that of several on one day the one that is read last counts: it may
 * have been read by a better reader. A less complete source counts until the day on which a more complete one was seen,
 * which may state what was edited meanwhile.
 */
function withStated(
  sightings: readonly Sighting[],
  stated: EncodedFiling,
  terms: Terms,
): readonly Sighting[] {
  const { seenOn, periodEnd, frames, figures, lines, figureBlock, statementBlock } = stated
  const rank = wholeSources.indexOf(stated.source)
  const day = seenOn ?? Number.NEGATIVE_INFINITY
  if (sightings.some(other => other.day <= day && other.content.rank > rank)) return sightings
  const alone: Content = { rank, periodEnd, frames, figures, lines, figureBlock, statementBlock }
  const known = sightings.find(other => other.day === day && other.content.rank === rank)?.content
  const read: Content =
    stated.part === undefined || known === undefined
      ? alone
      : { rank, ...joinPart(known, alone, stated.part, terms) }
  const content = sameContent(sightings, read, terms) ?? read
  const others = sightings.filter(other => other.day < day || (other.day > day && other.content.rank >= rank))
  return [...others, { day, content }].sort((a, b) => (a.day < b.day ? -1 : 1))
}

/** The content among `sightings` that equals `content`. Equal contents are one object. */
const sameContent = (sightings: readonly Sighting[], content: Content, terms: Terms): Content | undefined =>
  sightings.find(other => haveSameContent(other.content, content, terms))?.content

/** The sightings with which the content changed, which are rows, and the days of all others. */
function inRuns(sightings: readonly Sighting[]): {
  readonly rows: readonly Sighting[]
  readonly repeats: readonly number[]
} {
  const isRepeat = ({ content }: Sighting, at: number) => sightings[at - 1]?.content === content
  return {
    rows: sightings.filter((sighting, at) => !isRepeat(sighting, at)),
    repeats: sightings.filter(isRepeat).map(({ day }) => day),
  }
}

/** Blocks with the same content differ if more terms were known when the later one was encoded. */
function haveSameContent(a: Content, b: Content, terms: Terms): boolean {
  if (a.rank !== b.rank || a.figures !== b.figures || a.lines !== b.lines || a.periodEnd !== b.periodEnd)
    return false
  if (
    Buffer.compare(a.figureBlock, b.figureBlock) === 0 &&
    Buffer.compare(a.statementBlock, b.statementBlock) === 0
  )
    return true
  return contentOf(a, terms) === contentOf(b, terms)
}

function contentOf({ figureBlock, statementBlock }: Content, terms: Terms): string {
  const { figures, taxonomies, defaultMembers, ownTexts } = decodeFigures(figureBlock, terms)
  const { statements, sums } = decodePresentation(statementBlock, terms, ownTexts)
  const texts = figures.map(({ concept, context, unit, decimals, value }) =>
    JSON.stringify([concept, context, unit, String(decimals), value]),
  )
  return JSON.stringify([[...taxonomies].sort(), [...defaultMembers].sort(), texts.sort(), statements, sums])
}

interface BlockRecord extends Omit<Content, 'rank' | 'periodEnd'>, FilingOfCompany {
  readonly seen: string
  readonly ends: string | null
  readonly source: number
}

/** What is on record of some filings, by `keyOf`. */
async function readSightings(
  transaction: TransactionSql,
  terms: Terms,
  filingIds: readonly number[],
): Promise<Map<string, readonly Sighting[]>> {
  const rows = await transaction<BlockRecord[]>`
    select filing_id as id, entity_id as "entityId", seen_on as seen, period_end as ends, source, frames, figures, lines,
           figure_block as "figureBlock", statement_block as "statementBlock"
    from whole_filing where filing_id = any(${filingIds}::int[])
    order by filing_id, entity_id, seen_on`
  if (rows.length === 0) return new Map()
  // Other imports may have written blocks with terms that they added.
  await loadMoreTerms(transaction, terms)
  const repeats = await transaction<(FilingOfCompany & { seen: string })[]>`
    select filing_id as id, entity_id as "entityId", seen_on as seen
    from whole_filing_repeat where filing_id = any(${filingIds}::int[])`
  const sightings = new Map<string, Sighting[]>()
  for (const { id, entityId, seen, ends, source, ...blocks } of rows) {
    const key = keyOf({ id, entityId })
    const known = sightings.get(key) ?? []
    sightings.set(key, known)
    const read = { ...blocks, rank: source - 1, periodEnd: ends === null ? null : dayNumber(ends) }
    known.push({ day: dayOfText(seen), content: sameContent(known, read, terms) ?? read })
  }
  for (const repeat of repeats) {
    const known = sightings.get(keyOf(repeat)) ?? []
    const day = dayOfText(repeat.seen)
    const row = known.findLast(other => other.day < day)
    if (row !== undefined) known.splice(known.indexOf(row) + 1, 0, { day, content: row.content })
  }
  return sightings
}

const dayText = (day: number) => (day === Number.NEGATIVE_INFINITY ? '-infinity' : isoDate(day))
const dayOfText = (text: string) => (text === '-infinity' ? Number.NEGATIVE_INFINITY : dayNumber(text))

async function removeRows(transaction: TransactionSql, removed: readonly DayOfFiling[]): Promise<void> {
  if (removed.length === 0) return
  await transaction`
    delete from whole_filing w using ${rowsOf(transaction, removed)} as gone (id, entity_id, seen_on)
    where w.filing_id = gone.id and w.entity_id = gone.entity_id and w.seen_on = gone.seen_on`
}

async function saveRepeats(
  transaction: TransactionSql,
  gone: readonly DayOfFiling[],
  added: readonly DayOfFiling[],
): Promise<void> {
  if (gone.length > 0)
    await transaction`
      delete from whole_filing_repeat r using ${rowsOf(transaction, gone)} as gone (id, entity_id, seen_on)
      where r.filing_id = gone.id and r.entity_id = gone.entity_id and r.seen_on = gone.seen_on`
  if (added.length > 0)
    await transaction`
      insert into whole_filing_repeat (filing_id, entity_id, seen_on) select * from ${rowsOf(transaction, added)}`
}

const rowsOf = (transaction: TransactionSql, rows: readonly DayOfFiling[]) => transaction`
  unnest(${rows.map(({ id }) => id)}::int[], ${rows.map(({ entityId }) => entityId)}::int[],
         ${rows.map(({ day }) => dayText(day))}::date[])`

function* encodeRows(added: readonly AddedRow[]): Generator<Uint8Array> {
  const copy = new BinaryCopyWriter(10)
  for (const { id, entityId, day, content } of added) {
    copy.row()
    copy.integer(id)
    copy.integer(entityId)
    copy.date(day)
    if (content.periodEnd === null) copy.null()
    else copy.date(content.periodEnd)
    copy.smallint(content.rank + 1)
    copy.smallints(content.frames)
    copy.integer(content.figures)
    copy.integer(content.lines)
    copy.bytes(content.figureBlock)
    copy.bytes(content.statementBlock)
    yield* copy.takeFull()
  }
  yield* copy.finish()
}
