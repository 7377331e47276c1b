import { legSize } from '../legs.ts'
import type { BookSettings } from '../settings.ts'
import { addConvictions, type Convictions, formBlock, formFromRows } from './formBlock.ts'
import { loadDoubles, loadMovingCosts, loadRanks, type RunRows } from './loadBlock.ts'
import type { TileMemory, TileNeeds } from './memory.ts'
import { pickRanks } from './pickRanks.ts'

/** A run in progress: what it reads, and what it fills. */
export interface Run extends RunRows {
  readonly needs: TileNeeds
  /** Of each period. */
  readonly eligible: Int32Array
  readonly mean: Float64Array
  readonly known: Int32Array
  readonly convictions: Convictions
  /** Periods in a row, up to and with each, in which no leg formed. */
  readonly idle: Int32Array
  /** Of each book, four numbers a period: sum |dw|, sum |dw| cost, sum w r, sum min(w, 0); all h times. */
  readonly sums: readonly Float64Array[]
  /** With `follow`, of the only book: names held without a return, per period. */
  readonly unpaid: Int32Array
  /** Its last weights, h times, and in how many tranches each asset is. */
  readonly weight: Float64Array
  readonly live: Int32Array
}

/** Periods t .. t + count - 1 of one tile: rows to dense columns, targets, and then each book through all of them. */
export function walkBlock(run: Run, memory: TileMemory, t: number, count: number): void {
  const { data, needs, neutral, plan } = run
  loadDoubles(run, memory, data.forwardReturn, memory.returns, t, count, needs.follow ? Number.NaN : 0)
  if (needs.movingCosts) loadMovingCosts(run, memory, t, count)
  if (neutral) formFromRows(run, memory, neutral, t, count)
  else {
    loadPlaces(run, memory, t, count)
    if (run.ranking === null) countIdle(run.idle, run.eligible, needs.settings, t, count)
    if (needs.settings.weighting === 'score' && plan.tiles.length === 1) sumConvictions(run, memory, t, count)
    formBlock(memory, needs.settings, run.eligible, run.mean, run.convictions, t, count)
  }
  if (needs.follow) countUnpaid(run, memory, t, count)
  dropMissing(run, memory, t, count)
  for (let book = 0; book < needs.tranches.length; book++) moveBook(run, memory, book, t, count)
}

/** Where several tiles make up a date, the convictions of all must be summed before the first can be weighted. */
export function convictionBlock(run: Run, memory: TileMemory, t: number, count: number): void {
  loadPlaces(run, memory, t, count)
  sumConvictions(run, memory, t, count)
}

function loadPlaces(run: Run, memory: TileMemory, t: number, count: number): void {
  const { settings } = run.needs
  if (run.ranking) loadRanks(run, memory, run.ranking.rank, t, count)
  else pickRanks(run, memory, settings, t, count, run.eligible)
  if (settings.weighting === 'score')
    loadDoubles(run, memory, run.data.score, memory.scores, t, count, Number.NaN)
}

function sumConvictions(run: Run, memory: TileMemory, t: number, count: number): void {
  addConvictions(memory, run.needs.settings, run.eligible, run.mean, run.convictions, t, count)
}

function countUnpaid({ needs, unpaid }: Run, memory: TileMemory, t: number, count: number): void {
  const { kernel, targets, slots, tile, live, returns } = memory
  kernel.doubles.fill(0, memory.unpaid / 8, memory.unpaid / 8 + count)
  kernel.calls.countUnpaid(
    targets,
    slots,
    ringDepth(needs, 0),
    t,
    count,
    tile.width,
    live,
    returns,
    memory.unpaid,
  )
  for (let i = 0; i < count; i++) unpaid[t + i] += kernel.doubles[memory.unpaid / 8 + i]
}

/** Missing returns earn 0 from here on. */
function dropMissing(run: Run, { kernel, tile, returns }: TileMemory, t: number, count: number): void {
  const { data, periods, known, needs, plan } = run
  for (let i = 0; i < count; i++) {
    const date = periods[t + i]
    const rows = data.offsets[date + 1] - data.offsets[date]
    const absent = needs.follow && !plan.full
    if (absent || known[t + i] < rows) kernel.calls.dropMissing(returns + 8 * tile.width * i, tile.width)
  }
}

function moveBook(
  { needs, sums, idle }: Run,
  memory: TileMemory,
  book: number,
  t: number,
  count: number,
): void {
  const { doubles } = memory.kernel
  const { lastPeriod } = memory.tile
  const h = needs.tranches[book]
  // A book is empty h periods after its last row, whatever else is still walked beside it.
  const moves = Math.min(count, lastPeriod + h - t + 1)
  if (moves <= 0) return
  const out = memory.out / 8
  doubles.fill(0, out, out + 4 * moves)
  for (let from = 0; from < moves; ) {
    let end = from
    while (end < moves && idle[t + end] !== h) end++
    const emptied = end < moves
    if (emptied) end++
    callWalk(needs, memory, book, t, from, end - from)
    if (emptied) {
      emptyBook(needs, memory, book)
      doubles.fill(0, out + 4 * end - 2, out + 4 * end)
    }
    from = end
  }
  const sum = sums[book]
  for (let i = 0; i < 4 * moves; i++) sum[4 * t + i] += doubles[out + i]
}

/** Periods t + from .. of a block, `count` of them. */
function callWalk(
  needs: TileNeeds,
  { kernel, tile, targets, slots, returns, costs, books, grown, out }: TileMemory,
  book: number,
  t: number,
  from: number,
  count: number,
): void {
  const doubles = 8 * tile.width
  const stride = needs.movingCosts ? doubles : 0
  const place = books + doubles * book
  const earned = returns + doubles * from
  const paid = costs + stride * from
  const to = out + 32 * from
  const ring = [targets, slots, ringDepth(needs, book), t + from, count, tile.width, place] as const
  if (needs.settings.drift)
    kernel.calls.walkDrifting(...ring, grown + doubles * book, earned, paid, stride, to)
  else kernel.calls.walk(...ring, earned, paid, stride, to)
}

/** A book that its last tranche has left holds nothing: what entering and leaving left of each weight is rounding, which
 * would go on earning returns, and a fold that holds nothing would show their Sharpe ratio. */
function emptyBook({ settings }: TileNeeds, memory: TileMemory, book: number): void {
  const { kernel, tile, books, grown } = memory
  const place = (books + 8 * tile.width * book) / 8
  kernel.doubles.fill(0, place, place + tile.width)
  if (!settings.drift) return
  const drifted = (grown + 8 * tile.width * book) / 8
  kernel.doubles.fill(0, drifted, drifted + tile.width)
}

/** Periods back to the target that leaves. Nothing leaves a book that holds longer than the run: the ring is as deep as
 * the run, and what lies there is still 0. */
function ringDepth({ tranches, periods }: TileNeeds, book: number): number {
  return Math.min(tranches[book], periods)
}

/** The last weights of the only book, from columns back to assets. */
export function readBook({ plan, weight, live }: Run, memory: TileMemory): void {
  const { doubles } = memory.kernel
  const { firstColumn, columns } = memory.tile
  for (let asset = 0; asset < weight.length; asset++) {
    const column = (plan.columnOf ? plan.columnOf[asset] : asset) - firstColumn
    if (column < 0 || column >= columns) continue
    weight[asset] = doubles[memory.books / 8 + column]
    live[asset] = doubles[memory.live / 8 + column]
  }
}

/** Fills idle[t .. t + count - 1]: how many periods in a row, up to and with each, formed no leg. Once that is h the
 * book is empty.
 *
 * @param eligible names that may be in legs, of every period */
export function countIdle(
  idle: Int32Array,
  eligible: Int32Array,
  { quantile, longShort }: Pick<BookSettings, 'quantile' | 'longShort'>,
  t: number,
  count: number,
): void {
  for (let i = t; i < t + count; i++) {
    const before = i > 0 ? idle[i - 1] : 0
    idle[i] = legSize(eligible[i], quantile, longShort) > 0 ? 0 : before + 1
  }
}
