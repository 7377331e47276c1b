import type { KnownSymbol } from './knownSymbols.ts'
import { decodePriceBlock } from './priceBlock.ts'
import { joinPriceRows, type PriceRows } from './priceRows.ts'
import type { PriceHistory } from './priceSeries.ts'

/** A security of a set as it is stored: a block for each year, in their order. */
export interface StoredSecurity {
  readonly assetId: number
  /** Null: no company was known by its symbol. */
  readonly entityId: number | null
  readonly market: string | null
  /** Those of the data version that is read. */
  readonly symbols: readonly KnownSymbol[]
  readonly blocks: readonly Uint8Array[]
}

/** The day up to which the splits of each import are known that its closes are adjusted for, by number of the import. */
export type BasisDays = ReadonlyMap<number, number>

/** Decodes blocks and leaves out rows of imports that are not among `basisDays`: those of later data versions. */
export function historiesOf(securities: readonly StoredSecurity[], basisDayOf: BasisDays): PriceHistory[] {
  const histories: PriceHistory[] = []
  for (const { assetId, entityId, market, symbols, blocks } of securities) {
    const stored = joinPriceRows(blocks.map(bytes => decodePriceBlock(bytes)))
    const visible = visibleRows(stored, basisDayOf)
    if (visible.count === 0) continue
    const basisDays = visible.imports.map(importId => basisDayOf.get(importId) ?? 0)
    histories.push({ ...visible, assetId, entityId, market, symbols, basisDays })
  }
  return histories
}

function visibleRows(rows: PriceRows, imports: BasisDays): PriceRows {
  if (rows.imports.every(importId => imports.has(importId))) return rows
  const isVisible = (_: number, index: number) => imports.has(rows.imports[index])
  const days = rows.days.filter(isVisible)
  return {
    count: days.length,
    days,
    knownDays: rows.knownDays.filter(isVisible),
    imports: rows.imports.filter(isVisible),
    closes: rows.closes.filter(isVisible),
    volumes: rows.volumes.filter(isVisible),
    splitFactors: rows.splitFactors.filter(isVisible),
    dividends: rows.dividends.filter(isVisible),
    delistingReturns: rows.delistingReturns.filter(isVisible),
  }
}
