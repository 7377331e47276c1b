import { bucketCount } from '../../dataset/order.ts'
import type { BookSettings } from '../settings.ts'
import { type Kernel, Layout, openKernel } from './open.ts'
import type { Tile } from './tilePlan.ts'

/** Periods that are loaded and formed together. */
export const blockPeriods = 32

/** What a walk over a tile must have room for. */
export interface TileNeeds {
  readonly periods: number
  /** h of each book. */
  readonly tranches: readonly number[]
  readonly settings: BookSettings
  /** Legs are picked from scores: no ranking is known. */
  readonly picks: boolean
  /** Costs differ from period to period. */
  readonly movingCosts: boolean
  /** Names in tranches are counted. */
  readonly follow: boolean
}

/** A kernel with a place for everything a walk over one tile works on; places are bytes. */
export interface TileMemory extends PickMemory {
  readonly tile: Tile
  /** Dense targets in the ring. */
  readonly slots: number
  readonly targets: number
  /** One f64 per column and period of a block. */
  readonly returns: number
  readonly scores: number
  readonly costs: number
  /** One i32 per column and period of a block. */
  readonly ranks: number
  /** One f64 per column, book after book. */
  readonly books: number
  readonly grown: number
  readonly live: number
  /** Four f64 per period of a block. */
  readonly out: number
  readonly unpaid: number
}

/** Room for picking the legs of one period. */
export interface PickMemory {
  readonly kernel: Kernel
  readonly pickScores: number
  readonly pickRanks: number
  readonly scratch: number
  readonly stats: number
}

const mostCandidates = 64

/** @param mostRows rows of the fullest period */
export function openTile(tile: Tile, needs: TileNeeds, mostRows: number): TileMemory {
  const { settings, tranches, periods, picks, movingCosts, follow } = needs
  const longest = Math.max(...tranches)
  const slots = Math.min(longest, periods) + Math.min(blockPeriods, periods)
  const doubles = 8 * tile.width
  const block = Math.min(blockPeriods, periods)
  const layout = new Layout()
  const places = {
    slots,
    targets: layout.place(slots * doubles),
    returns: layout.place(block * doubles),
    scores: layout.place(settings.weighting === 'score' ? block * doubles : 0),
    costs: layout.place((movingCosts ? block : 1) * doubles),
    ranks: layout.place(block * 4 * tile.width),
    books: layout.place(tranches.length * doubles),
    grown: layout.place(settings.drift ? tranches.length * doubles : 0),
    live: layout.place(follow ? doubles : 0),
    out: layout.place(block * 32),
    unpaid: layout.place(block * 8),
    ...placePicks(layout, picks ? mostRows : 0),
  }
  const kernel = openKernel(layout.bytes)
  // Columns that only pad the tile are never eligible.
  kernel.integers.fill(-1, places.ranks / 4, places.ranks / 4 + block * tile.width)
  return { kernel, tile, ...places }
}

/** @param mostRows rows of the fullest period */
export function placePicks(layout: Layout, mostRows: number): Omit<PickMemory, 'kernel'> {
  const width = Math.ceil(mostRows / 4) * 4
  return {
    pickScores: layout.place(8 * width),
    pickRanks: layout.place(4 * width),
    scratch: layout.place(4 * width + 4 * bucketCount(width) + 12 * mostCandidates),
    stats: layout.place(24),
  }
}
