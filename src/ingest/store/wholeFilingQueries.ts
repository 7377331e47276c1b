import { dayNumber, isoDate } from '../../dates.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { BinaryCopyWriter, copyBytes } from '../../postgres/copy.ts'
import { decodeFigures } from '../../wholeFilings/figureBlock.ts'
import type { FrameCode } from '../../wholeFilings/frames.ts'
import { decodePresentation } from '../../wholeFilings/presentationBlock.ts'
import { type WholeSource, wholeSources } from '../../wholeFilings/statedFiling.ts'
import type { Terms } from '../../wholeFilings/terms.ts'
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
}

interface StoredBlocks
  extends Pick<EncodedFiling, 'seenOn' | 'frames' | 'figures' | 'lines' | 'figureBlock' | 'statementBlock'> {
  /** Index in `wholeSources`. */
  readonly rank: number
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
  const byFiling = Map.groupBy(encoded, ({ accession }) => ids.id(accession))
  const stored = await readBlocks(transaction, [...byFiling.keys()])
  const removed: { readonly id: number; readonly seenOn: number | null }[] = []
  const added: {
    readonly id: number
    readonly entityId: number
    readonly periodEnd: number | null
    readonly blocks: StoredBlocks
  }[] = []
  for (const [id, stated] of byFiling) {
    const before = stored.get(id) ?? []
    const [{ entityId }] = stated
    const after = stated.reduce((rows, one) => withStated(rows, one, terms), before)
    for (const row of before) if (!after.includes(row)) removed.push({ id, seenOn: row.seenOn })
    const periodEnd = stated.find(one => one.periodEnd !== null)?.periodEnd ?? null
    for (const blocks of after) if (!before.includes(blocks)) added.push({ id, entityId, periodEnd, blocks })
  }
  if (removed.length > 0)
    await transaction`
      delete from whole_filing w
      using unnest(${removed.map(({ id }) => id)}::int[], ${removed.map(({ seenOn }) => dayText(seenOn))}::date[]) as gone (id, seen_on)
      where w.filing_id = gone.id and w.seen_on = gone.seen_on`
  if (added.length === 0) return 0
  const copy = new BinaryCopyWriter(10)
  await copyBytes(
    transaction,
    'copy whole_filing (filing_id, entity_id, seen_on, period_end, source, frames, figures, lines, figure_block, statement_block) from stdin (format binary)',
    encodeRows(copy, added),
  )
  return added.length
}

/**
 * The rows of a filing, in order of the days on which they were seen, once another statement of it is read. Each row
 * differs from the one before it.
 */
function withStated(
  rows: readonly StoredBlocks[],
  stated: EncodedFiling,
  terms: Terms,
): readonly StoredBlocks[] {
  const { seenOn, frames, figures, lines, figureBlock, statementBlock } = stated
  const rank = wholeSources.indexOf(stated.source)
  const row: StoredBlocks = { rank, seenOn, frames, figures, lines, figureBlock, statementBlock }
  const isSame = (other: StoredBlocks | undefined) =>
    other !== undefined && haveSameContent(other, row, terms)
  if (seenOn === null) {
    const [known] = rows
    const isKept = known !== undefined && (known.rank > rank || (known.rank === rank && isSame(known)))
    return isKept ? rows : [row]
  }
  const earlier = rows.filter(other => (other.seenOn ?? Number.NEGATIVE_INFINITY) <= seenOn)
  const [next, ...later] = rows.slice(earlier.length)
  if (isSame(earlier.at(-1))) return rows
  const before = earlier.at(-1)?.seenOn === seenOn ? earlier.slice(0, -1) : earlier
  return [...before, row, ...(next === undefined || isSame(next) ? later : [next, ...later])]
}

/** Blocks with the same content differ if more terms were known when the later one was encoded. */
function haveSameContent(a: StoredBlocks, b: StoredBlocks, terms: Terms): boolean {
  if (a.figures !== b.figures || a.lines !== b.lines) return false
  if (
    Buffer.compare(a.figureBlock, b.figureBlock) === 0 &&
    Buffer.compare(a.statementBlock, b.statementBlock) === 0
  )
    return true
  return contentOf(a, terms) === contentOf(b, terms)
}

function contentOf({ figureBlock, statementBlock }: StoredBlocks, terms: Terms): string {
  const { figures, taxonomies, defaultMembers, ownTexts } = decodeFigures(figureBlock, terms)
  const { statements, sums } = decodePresentation(statementBlock, terms, ownTexts)
  const texts = figures.map(({ concept, context, unit, decimals, value }) =>
    JSON.stringify([concept, context, unit, String(decimals), value]),
  )
  return JSON.stringify([[...taxonomies].sort(), [...defaultMembers].sort(), texts.sort(), statements, sums])
}

interface BlockRecord {
  readonly id: number
  readonly seen: string
  readonly source: number
  readonly frames: readonly FrameCode[]
  readonly figures: number
  readonly lines: number
  readonly figureBlock: Uint8Array
  readonly statementBlock: Uint8Array
}

async function readBlocks(
  transaction: TransactionSql,
  filingIds: readonly number[],
): Promise<Map<number, readonly StoredBlocks[]>> {
  const rows = await transaction<BlockRecord[]>`
    select filing_id as id, seen_on as seen, source, frames, figures, lines, figure_block as "figureBlock", statement_block as "statementBlock"
    from whole_filing where filing_id = any(${filingIds}::int[])
    order by filing_id, seen_on`
  const byFiling = new Map<number, StoredBlocks[]>()
  for (const { id, seen, source, ...blocks } of rows) {
    const row = { ...blocks, rank: source - 1, seenOn: seen === '-infinity' ? null : dayNumber(seen) }
    const known = byFiling.get(id)
    if (known === undefined) byFiling.set(id, [row])
    else known.push(row)
  }
  return byFiling
}

const dayText = (day: number | null) => (day === null ? '-infinity' : isoDate(day))

function* encodeRows(
  copy: BinaryCopyWriter,
  added: readonly {
    readonly id: number
    readonly entityId: number
    readonly periodEnd: number | null
    readonly blocks: StoredBlocks
  }[],
): Generator<Uint8Array> {
  for (const { id, entityId, periodEnd, blocks } of added) {
    copy.row()
    copy.integer(id)
    copy.integer(entityId)
    copy.date(blocks.seenOn ?? Number.NEGATIVE_INFINITY)
    if (periodEnd === null) copy.null()
    else copy.date(periodEnd)
    copy.smallint(blocks.rank + 1)
    copy.smallints(blocks.frames)
    copy.integer(blocks.figures)
    copy.integer(blocks.lines)
    copy.bytes(blocks.figureBlock)
    copy.bytes(blocks.statementBlock)
    yield* copy.takeFull()
  }
  yield* copy.finish()
}
