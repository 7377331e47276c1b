import { setImmediate } from 'node:timers/promises'
import type { SqlClient } from '../postgres/client.ts'
import { decodeFiguresOf, SoughtConcept } from './figureBlock.ts'
import { earlierOfFrame, type FrameFiling, type FrameScope, latestOfFrame } from './frameQueries.ts'
import { type FrameCode, frameEnd, frameOfPeriod } from './frames.ts'
import { loadMoreTerms } from './termQueries.ts'
import type { Terms } from './terms.ts'
import type { ReportedFigure } from './wholeFiling.ts'

/** A company's figure in a frame, and the filing that states it. */
export interface FrameFigure extends Omit<FrameFiling, 'figures' | 'candidates'> {
  readonly figure: ReportedFigure & { readonly value: string }
}

export interface FramePage {
  readonly dataVersion: number
  readonly rows: readonly FrameFigure[]
  /** The last company on the page; null on the last page. */
  readonly next: number | null
}

/** Blocks that are decoded before other requests get the thread: some 5 ms. */
const blocksPerTurn = 200
/** How many companies a statement examines. It is doubled while a page is not full. */
const [minCompanies, maxCompanies] = [50, 1_500]
const earlierPerStatement = 4

/**
 * For each company the figure that the latest filing states, among those that were public and state one value of
 * the concept for the whole company in this frame and unit. `snapshot` keeps the blocks and their terms together.
 */
export async function readFrame(
  snapshot: SqlClient,
  terms: Terms,
  scope: FrameScope,
  { tag, unit, limit }: { readonly tag: string; readonly unit: string; readonly limit: number },
): Promise<FramePage> {
  const rows: FrameFigure[] = []
  let after = scope.after
  let sought: SoughtConcept | null = null
  let dataVersion: number
  let companies = Math.min(2 * limit + minCompanies, maxCompanies)
  do {
    const part = { ...scope, after }
    const found = await latestOfFrame(snapshot, part, companies)
    companies = Math.min(2 * companies, maxCompanies)
    dataVersion = found.dataVersion
    // All terms that these blocks can refer to are in the snapshot.
    if (sought === null) await loadMoreTerms(snapshot, terms)
    sought ??= new SoughtConcept(tag, terms)
    const reader = new FrameReader(sought, terms, scope.frame, unit)
    for (const row of await reader.readAll(snapshot, part, found.filings)) rows.push(row)
    after = found.last
  } while (after !== null && rows.length <= limit)
  const page = rows.slice(0, limit)
  return { dataVersion, rows: page, next: rows.length > limit ? (page.at(-1)?.entityId ?? null) : null }
}

class FrameReader {
  readonly #sought: SoughtConcept
  readonly #terms: Terms
  readonly #frame: FrameCode
  readonly #unit: string

  constructor(sought: SoughtConcept, terms: Terms, frame: FrameCode, unit: string) {
    this.#sought = sought
    this.#terms = terms
    this.#frame = frame
    this.#unit = unit
  }

  /** The rows of some companies, in order, given the latest filing of each. */
  async readAll(
    sql: SqlClient,
    scope: FrameScope,
    latest: readonly FrameFiling[],
  ): Promise<readonly FrameFigure[]> {
    const found = new Map<number, FrameFigure>()
    await this.#read(latest, found)
    let skipped = 1
    for (;;) {
      const missing = latest.filter(
        ({ entityId, candidates }) => candidates > skipped && !found.has(entityId),
      )
      if (missing.length === 0) break
      const ids = missing.map(({ entityId }) => entityId)
      await this.#read(await earlierOfFrame(sql, scope, ids, skipped, earlierPerStatement), found)
      skipped += earlierPerStatement
    }
    return latest.flatMap(({ entityId }) => found.get(entityId) ?? [])
  }

  async #read(filings: readonly FrameFiling[], found: Map<number, FrameFigure>): Promise<void> {
    let decoded = 0
    for (const { figures, candidates: _, ...filing } of filings) {
      if (found.has(filing.entityId)) continue
      if (++decoded % blocksPerTurn === 0) await setImmediate()
      const stated = decodeFiguresOf(figures, this.#sought, this.#terms)
      const figure = figureOfFrame(stated, this.#frame, this.#unit)
      if (figure !== null) found.set(filing.entityId, { ...filing, figure })
    }
  }
}

/**
 * The figure of a frame among all that a filing states of a concept: of the period that ends nearest to the end of
 * the frame, and of several for one period the most accurate. Null if there is none, or if equally accurate ones
 * differ.
 */
export function figureOfFrame(
  figures: readonly ReportedFigure[],
  frame: FrameCode,
  unit: string,
): FrameFigure['figure'] | null {
  let best: FrameFigure['figure'] | null = null
  let isContradicted = false
  for (const { value, ...figure } of figures) {
    if (value === null || figure.unit !== unit || frameOfPeriod(figure.context) !== frame) continue
    const stated = { ...figure, value }
    const order: number = best === null ? -1 : compare(stated, best, frame)
    if (order < 0) {
      best = stated
      isContradicted = false
    } else if (order === 0 && best?.value !== value) isContradicted = true
  }
  return isContradicted ? null : best
}

/** Negative if `a` comes before `b`. */
function compare(a: ReportedFigure, b: ReportedFigure, frame: FrameCode): number {
  const end = frameEnd(frame)
  const byPeriod =
    Math.abs(a.context.end - end) - Math.abs(b.context.end - end) ||
    b.context.end - a.context.end ||
    beginning(a) - beginning(b)
  if (byPeriod !== 0) return byPeriod
  const [ofA, ofB] = [a.decimals ?? Number.NEGATIVE_INFINITY, b.decimals ?? Number.NEGATIVE_INFINITY]
  return ofA === ofB ? 0 : ofB - ofA
}

const beginning = ({ context: { start, end } }: ReportedFigure) => start ?? end
