import { bucketCount } from '../../dataset/order.ts'
import type { PortfolioSettings } from '../settings.ts'
import type { Tile } from './tilePlan.ts'
import { type Kernel, Layout, openKernel } from './wasm.ts'

/** The number of periods that are loaded and simulated together. */
export const blockPeriods = 32

/** The parameters that determine how much memory a tile takes. */
export interface TileNeeds {
  readonly periods: number
  /** h of each portfolio. */
  readonly tranches: readonly number[]
  readonly settings: PortfolioSettings
  /** Legs are picked from scores, because there is no ranking. */
  readonly picksLegs: boolean
  /** Costs differ from period to period. */
  readonly costsVary: boolean
  /** The tranches that hold each name are counted. */
  readonly trackPositions: boolean
}

/** A kernel, with the byte address of every array that the simulation of one tile uses. */
export interface TileMemory extends PickMemory {
  readonly tile: Tile
  /** The number of targets in the ring. */
  readonly slots: number
  readonly targets: number
  /** One f64 per column and period of a block. */
  readonly returns: number
  readonly scores: number
  readonly costs: number
  /** One i32 per column and period of a block. */
  readonly ranks: number
  /** One f64 per column, portfolio after portfolio. */
  readonly weights: number
  readonly grownWeights: number
  /** One f64 per column. */
  readonly trancheCounts: number
  /** Four f64 per period of a block. */
  readonly sums: number
  /** One f64 per period of a block. */
  readonly heldWithoutReturn: number
}

/** Memory for picking the legs of one period. */
export interface PickMemory {
  readonly kernel: Kernel
  readonly pickScores: number
  readonly pickRanks: number
  readonly scratch: number
  readonly stats: number
}

/** @param maxRows the number of rows in the largest period */
export function openTile(tile: Tile, needs: TileNeeds, maxRows: number): TileMemory {
  const { settings, tranches, periods, picksLegs, costsVary, trackPositions } = needs
  const longest = Math.max(...tranches)
  const slots = Math.min(longest, periods) + Math.min(blockPeriods, periods)
  const doubles = 8 * tile.width
  const block = Math.min(blockPeriods, periods)
  const layout = new Layout()
  const addresses = {
    slots,
    targets: layout.place(slots * doubles),
    returns: layout.place(block * doubles),
    scores: layout.place(settings.weighting === 'score' ? block * doubles : 0),
    costs: layout.place((costsVary ? block : 1) * doubles),
    ranks: layout.place(block * 4 * tile.width),
    weights: layout.place(tranches.length * doubles),
    grownWeights: layout.place(settings.drift ? tranches.length * doubles : 0),
    trancheCounts: layout.place(trackPositions ? doubles : 0),
    sums: layout.place(block * 32),
    heldWithoutReturn: layout.place(block * 8),
    ...placePicks(layout, picksLegs ? maxRows : 0),
  }
  const kernel = openKernel(layout.bytes)
  // Padding columns are never eligible.
  kernel.integers.fill(-1, addresses.ranks / 4, addresses.ranks / 4 + block * tile.width)
  return { kernel, tile, ...addresses }
}

/** Must equal the constant of the same name in kernel/assembly/legs.ts: with less memory here, the kernel
 * would write past its scratch space. */
const maxCandidates = 64

/** @param maxRows the number of rows in the largest period */
export function placePicks(layout: Layout, maxRows: number): Omit<PickMemory, 'kernel'> {
  const width = Math.ceil(maxRows / 4) * 4
  return {
    pickScores: layout.place(8 * width),
    pickRanks: layout.place(4 * width),
    scratch: layout.place(4 * width + 4 * bucketCount(width) + 12 * maxCandidates),
    stats: layout.place(24),
  }
}
