import type { SettleTimes } from '../../facts/clockReadings.ts'
import type { MetricRules } from '../../facts/metricRules.ts'
import type { RegisterStatements } from '../../facts/registerStatements.ts'
import type { ParsedDocument } from '../../facts/reportedFact.ts'
import type { StatedFiling } from '../../wholeFilings/statedFiling.ts'
import type { Entry, ZipFile } from '../reading/archives.ts'
import type { Concepts } from '../reading/conceptTable.ts'
import { NamedFaults } from '../reading/namedFaults.ts'
import type { ReadUnit } from '../reading/progress.ts'

/**
 * A register, as the importer uses it. Each has a folder with the same files. `concepts` maps tags to
 * metrics, and `readDocument` turns the bytes of a file into reported facts. `source` describes the requests
 * of `sync`. `register` combines them.
 */
export interface Register {
  /** ISO code of the market. */
  readonly market: string
  /** For display: the register and its country. */
  readonly name: string
  /** The table from metrics to tags. */
  readonly concepts: Concepts
  readonly rules: MetricRules
  /**
   * True if the register edits published documents without changing their numbers. An edit counts from the day on
   * which we observed it.
   */
  readonly overwrites?: boolean
  /**
   * For a register that overwrites and states no filing dates. A filing with a higher number replaces the stored
   * one for the same period, from the day on which we first observed it.
   */
  readonly replaces?: boolean
  /**
   * Matches names, without `.gz`, of files in a folder and entries of a zip that may be documents of the
   * register.
   */
  readonly documentNames: RegExp
  /** Set if the register's documents may exceed `maxDocumentBytes` because they are read piece by piece. */
  readonly maxDocumentBytes?: number
  /**
   * Changes whenever the code might derive different figures from the same documents, so that all documents are read
   * again.
   */
  readonly derivationVersion: () => string
  /** Throws a Failure that names the fault if the file is not a document of the register. */
  readonly readDocument: (document: SourceDocument) => DocumentContent
  /**
   * For a register whose documents refer to one another: creates the reader of one import, which accepts them
   * in any order.
   */
  readonly createReader?: () => Register['readDocument']
  /**
   * Matches the names of documents without which the other documents of their subject (`RegisterRequest.subject`)
   * cannot be interpreted, such as a company's profile. Each of the others is imported together with them, and a new one
   * causes all others to be imported again. If omitted, every document needs all others of its subject.
   */
  readonly explainingNames?: RegExp
  /** Reads a zip whose entries only make sense together; null if each entry is a separate document. */
  readonly readSet?: (set: ZipSet, progress: SetProgress) => AsyncIterable<ReadUnit> | null
  /** Set if the clock of an acceptance time follows only from the register's other times. */
  readonly settleTimes?: SettleTimes
  /** What a user may pass to `import`, for its help. */
  readonly help: string
}

/**
 * Larger documents are refused because parsing takes several times their size in memory. For comparison, Apple's
 * companyfacts with sixteen years of filings take 4 MB.
 */
export const maxDocumentBytes = 48 * 1024 * 1024

export interface SourceDocument {
  /** The path of the file without `.gz`; for an entry of a zip, the zip's path, `!` and the entry's name. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** What a document states, and how much of it was understood. */
export interface DocumentContent {
  readonly parsed: readonly ParsedDocument[]
  /** What the document states about filings and filers besides figures. */
  readonly statements?: RegisterStatements
  /** The filings of the document in full. The `filings` or facts of `parsed` date each of them. */
  readonly wholeFilings?: readonly StatedFiling[]
  /** Figures in the document, mapped or not. */
  readonly figuresRead: number
  /** Figures of a mapped tag that are invalid (no date, no number), and filings with invalid dates. */
  readonly malformed: number
  /** The malformed ones with their locations, if the parser knows them. */
  readonly faults?: NamedFaults
  /**
   * Figures for which one filing states several values, with their locations and the value that is used, if
   * any.
   */
  readonly contradictions?: NamedFaults
  /** Figures over a period that is not part of any fiscal year. */
  readonly unplaced?: number
  /** Records that were left out on purpose, by reason (`LeftOut`). */
  readonly leftOut?: Readonly<Record<string, number>>
  /**
   * The document needs another one that has not been read, so it is read again after all others. If the other one
   * is still missing then, the facts of this document count, but it is not recorded as imported.
   */
  readonly waits?: boolean
  /**
   * A document that has not been read may change the result, so this one is read again after all others, and
   * the second result counts.
   */
  readonly isTentative?: boolean
  /** Other documents need this one, so it is never recorded as imported and every import reads it. */
  readonly isAlwaysRead?: boolean
}

/** Counts records that a parser leaves out on purpose. A reason is a message to the user, in the singular. */
export class LeftOut {
  readonly counts: Record<string, number> = {}

  add(reason: string, count = 1): void {
    if (count > 0) this.counts[reason] = (this.counts[reason] ?? 0) + count
  }
}

/** Counts what a parser drops from a document. */
export class Tally {
  readonly leftOut = new LeftOut()
  readonly faults = new NamedFaults()
  readonly contradictions = new NamedFaults()

  get counts(): Pick<DocumentContent, 'malformed' | 'faults' | 'contradictions' | 'leftOut'> {
    const { leftOut, faults, contradictions } = this
    return { malformed: faults.count, faults, contradictions, leftOut: leftOut.counts }
  }
}

/** Content without figures: names of companies, or filings with their dates. */
export const contentWithoutFigures = (
  parsed: readonly ParsedDocument[],
  leftOut: LeftOut,
  faults = new NamedFaults(),
): DocumentContent => ({ parsed, figuresRead: 0, malformed: faults.count, faults, leftOut: leftOut.counts })

/** A zip whose entries are not separate documents. */
export interface ZipSet {
  readonly path: string
  readonly bytes: number
  readonly zip: ZipFile
  readonly entries: readonly Entry[]
}

/** Where the reader of a zip reports its progress. */
export interface SetProgress {
  /** True if another run read everything under this key. */
  readonly isKnown: (contentKey: string) => boolean
  figures(more: number): void
  unplaced(more: number): void
  /** Reports what one of the zip's documents contains, including the figures that are dropped. */
  content(name: string, content: DocumentContent): void
  skip(name: string, reason: string): void
  /** Reports the fraction of the zip that has been read, from 0 to 1. */
  progress(share: number): void
}
