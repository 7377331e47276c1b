import type { WholeFiling } from './wholeFiling.ts'

/**
 * What a whole filing was read from, in ascending completeness: a list of figures without presentation, a data set,
 * or the filing's own documents. A more complete source replaces a less complete one.
 */
export const wholeSources = ['figures', 'dataSet', 'documents'] as const
export type WholeSource = (typeof wholeSources)[number]

/** A whole filing as a register's document states it. The `Filing` with the same accession comes from that document, too. */
export interface StatedFiling {
  readonly market: string
  /** The register's own number of the company. */
  readonly issuerId: string
  /** Has the accession of the `Filing`. Outside the United States, the market and a colon precede it. */
  readonly whole: WholeFiling
  readonly source: WholeSource
  /** The last day of the period that the filing reports on; null if the source does not state it. */
  readonly periodEnd: number | null
  /**
   * For a register that overwrites: the day on which we saw this statement in the register. If omitted, the day of
   * the import counts.
   */
  readonly seenOn?: number
  /**
   * For a document that states a part of the filing, while another one states the rest: the part is joined to what is
   * on record, in whatever order they are read. If omitted, the document states the filing in full.
   */
  readonly part?: FilingPart
}

/** A part of a filing: the figures of one member of an axis, and the statements that present them. */
export interface FilingPart {
  readonly axis: string
  /** Null for the figures without this axis. */
  readonly member: string | null
  /** What the roles of its statements begin with, up to a slash, and no others. */
  readonly roleStart: string
}
