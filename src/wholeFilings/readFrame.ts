import { setImmediate } from 'node:timers/promises'
import type { SqlClient } from '../postgres/client.ts'
import { decodeFiguresOf, SoughtConcept } from './figureBlock.ts'
import { earlierOfFrame, type FrameFiling, type FrameScope, latestOfFrame } from './frameQueries.ts'
import { type FrameCode, frameEnd, frameOfPeriod } from './frames.ts'
import { mostAccurate, type StatedFigure } from './mostAccurate.ts'
import { loadMoreTerms } from './termQueries.ts'
import type { Terms } from './terms.ts'
import type { ReportedFigure } from './wholeFiling.ts'

/** A company's figure in a frame, and the filing that states it. */
export interface FrameFigure extends Omit<FrameFiling, 'figures'> {
  readonly figure: StatedFigure
}

export interface FramePage {
  readonly dataVersion: number
  readonly rows: readonly FrameFigure[]
  /** The last company on the page; null on the last page. */
  readonly next: number | null
}

/** Number of blocks decoded before the thread is yielded to other requests, after about 5 ms. */
const blocksPerTurn = 200
/** How many companies an SQL statement examines. The number doubles while the page is not full. */
const [minCompanies, maxCompanies] = [50, 1_500]
/** How many earlier filings of a company an SQL statement reads if the latest one has no such figure. */
const earlierPerStatement = 4

/**
 * For each company, the figure of the concept for the whole company in this frame and unit. It comes from the latest
 * public filing that states exactly one value for it. All reads use `snapshot`, so that blocks and their terms match.
 */
export async function readFrame(
  snapshot: SqlClient,
  terms: Terms,
  scope: FrameScope,
  { tag, unit, limit }: { readonly tag: string; readonly unit: string; readonly limit: number },
): Promise<FramePage> {
  const rows: FrameFigure[] = []
  let companies = Math.min(2 * limit + minCompanies, maxCompanies)
  let part = scope
  let reading = latestOfFrame(snapshot, part, companies)
  // All terms to which the blocks can refer are in the snapshot.
  await loadMoreTerms(snapshot, terms)
  const reader = new FrameReader(snapshot, new SoughtConcept(tag, terms), terms, unit)
  for (;;) {
    const { filings, last, dataVersion } = await reading
    const next = last === null ? null : { ...scope, after: last }
    companies = Math.min(2 * companies, maxCompanies)
    // The database works on the next part while this one is decoded, unless this one may complete the page.
    const readsAhead = next !== null && rows.length + filings.length <= limit
    if (readsAhead) reading = latestOfFrame(snapshot, next, companies)
    const found = reader.readAll(part, filings)
    const [ofPart] = readsAhead ? await Promise.all([found, reading]) : [await found]
    for (const row of ofPart) rows.push(row)
    if (next === null || rows.length > limit) {
      const page = rows.slice(0, limit)
      return { dataVersion, rows: page, next: rows.length > limit ? (page.at(-1)?.entityId ?? null) : null }
    }
    if (!readsAhead) reading = latestOfFrame(snapshot, next, companies)
    part = next
  }
}

class FrameReader {
  readonly #snapshot: SqlClient
  readonly #sought: SoughtConcept
  readonly #terms: Terms
  readonly #unit: string

  constructor(snapshot: SqlClient, sought: SoughtConcept, terms: Terms, unit: string) {
    this.#snapshot = snapshot
    this.#sought = sought
    this.#terms = terms
    this.#unit = unit
  }

  /** The rows of some companies, in order, given the latest filing of each. */
  async readAll(scope: FrameScope, latest: readonly FrameFiling[]): Promise<readonly FrameFigure[]> {
    const found = new Map<number, FrameFigure>()
    await this.#read(scope, latest, found)
    let missing = latest.map(({ entityId }) => entityId).filter(id => !found.has(id))
    for (let skipped = 1; missing.length > 0; skipped += earlierPerStatement) {
      const earlier = await earlierOfFrame(this.#snapshot, scope, missing, skipped, earlierPerStatement)
      await this.#read(scope, earlier, found)
      // Companies with fewer filings than were asked for have no others.
      const filings = Map.groupBy(earlier, ({ entityId }) => entityId)
      missing = missing.filter(id => filings.get(id)?.length === earlierPerStatement && !found.has(id))
    }
    return latest.flatMap(({ entityId }) => found.get(entityId) ?? [])
  }

  /** Of a company's filings, the latest first. */
  async #read(
    { frame }: FrameScope,
    filings: readonly FrameFiling[],
    found: Map<number, FrameFigure>,
  ): Promise<void> {
    let decoded = 0
    for (const { figures, ...filing } of filings) {
      if (found.has(filing.entityId)) continue
      if (++decoded % blocksPerTurn === 0) await setImmediate()
      const stated = decodeFiguresOf(figures, this.#sought, this.#terms)
      const figure = figureOfFrame(stated, frame, this.#unit)
      if (figure !== null) found.set(filing.entityId, { ...filing, figure })
    }
  }
}

/**
 * Picks the figure of a frame from all figures of a concept in a filing. The period that ends nearest to the end of the
 * frame wins, and within one period the most accurate figure. Null if there is none, or if equally accurate figures
 * differ.
 */
export const figureOfFrame = (
  figures: readonly ReportedFigure[],
  frame: FrameCode,
  unit: string,
): StatedFigure | null =>
  mostAccurate(
    figures.filter(figure => figure.unit === unit && frameOfPeriod(figure.context) === frame),
    frameEnd(frame),
  )
