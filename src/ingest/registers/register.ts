import type { Contribution, MetricRules } from '../../facts/reportedFact.ts'
import type { Entry, ZipFile } from '../reading/archives.ts'
import type { ReadUnit } from '../reading/progress.ts'

/** A larger document is refused: parsing takes several times its size of memory. Apple's companyfacts, sixteen
 * years of filings, have 4 MB. */
export const largestDocumentBytes = 48 * 1024 * 1024

/** What a document says, and how much of it was understood. */
export interface DocumentContent {
  readonly contributions: readonly Contribution[]
  /** Figures in the document, mapped or not. */
  readonly figuresRead: number
  /** Figures of a mapped tag that make no sense (no date, no number). */
  readonly malformed: number
  /** Figures over a period that no fiscal year has. */
  readonly unplaced?: number
  /** Records that were left out on purpose, by the reason. */
  readonly leftOut?: Readonly<Record<string, number>>
  /** It needs a document that was not read yet: it is read again after all others. Where it still waits then, what it gives
   * counts, and it is not recorded as imported. */
  readonly waits?: boolean
  /** A document that was not read yet may make it say otherwise: it, too, is read again after all others, and what it says
   * then stands. */
  readonly isTentative?: boolean
  /** Others need it: it is never recorded as imported, so that every import reads it. */
  readonly isAlwaysRead?: boolean
}

export interface SourceDocument {
  /** The path of the file, and after `!` that of the entry in a zip. Without `.gz`. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** A zip whose entries are not documents of their own. */
export interface PackedSet {
  readonly path: string
  readonly bytes: number
  readonly zip: ZipFile
  readonly entries: readonly Entry[]
}

/** A register as the importer knows it. Each has a folder: `concepts` is its table from tags to metrics, parsers are pure
 * (bytes to records), `source` is its network, and `register` ties them together. */
export interface Register {
  /** ISO code of the market. */
  readonly market: string
  /** For people: the register and its country. */
  readonly name: string
  readonly rules: MetricRules
  /** The register edits what it said, under the same number: an edit counts from the day on which it was read. */
  readonly overwrites?: boolean
  /** Of a register that overwrites and tells no filing day: a filing with a higher number takes the place of the one on
   * record for the same period, from the day on which it was first read. */
  readonly replaces?: boolean
  /** Files of a folder and entries of a zip that may be documents of the register, by name and without `.gz`. */
  readonly documentNames: RegExp
  /** Documents of the register that may be larger than others', for it reads them piece by piece. */
  readonly largestDocumentBytes?: number
  /** Another text when the register's table or parsers understand more: documents are read anew then. */
  readonly mapping: string
  /** Throws a Failure that says what is wrong where it is no document of the register's. */
  readonly readDocument: (document: SourceDocument) => DocumentContent
  /** Where documents make sense together only: what reads those of one import, in any order. */
  readonly readTogether?: () => Register['readDocument']
  /** Of the documents of a subject (`RegisterRequest.subject`), those that explain the others and are read again with them;
   * a new one has all others read again. Left out: each needs all others. */
  readonly explainingNames?: RegExp
  /** How a zip is read whose entries make sense together only; null where each stands for itself. */
  readonly readSet?: (set: PackedSet, report: SetReport) => AsyncIterable<ReadUnit> | null
  /** What a user may give to `import`, for its help. */
  readonly help: string
}

/** What reading a set tells on its way. */
export interface SetReport {
  /** Another run read all of what has this key. */
  readonly isKnown: (contentKey: string) => boolean
  figures(more: number): void
  unplaced(more: number): void
  malformed(more: number): void
  leftOut(reason: string, more: number): void
  skip(name: string, reason: string): void
  /** The share of the set that is worked through, 0 to 1. */
  progress(share: number): void
}
