import type { RegisterStatements } from '../../facts/registerStatements.ts'
import type { ParsedDocument } from '../../facts/reportedFact.ts'
import type { StatedFiling } from '../../wholeFilings/statedFiling.ts'
import { NamedFaults } from './namedFaults.ts'

/** Counts of an import while it reads its files. */
export interface ReadProgress {
  /** Bytes of the given files that are read so far. */
  bytesRead: number
  documents: number
  /** Documents that an earlier import has read completely. */
  documentsUnchanged: number
  figuresRead: number
  malformed: number
  /** The malformed figures whose location is known. */
  readonly faults: NamedFaults
  /** Figures for which one filing states several values. */
  readonly contradictions: NamedFaults
  /**
   * Filings dated after the day of the import, with or without figures: by accession, their days since
   * 1970-01-01.
   */
  readonly futureFilings: Map<string, number>
  /** Figures whose period matches no fiscal year. */
  unplaced: number
  /** Records that are deliberately not imported, counted by reason. */
  readonly leftOut: Map<string, number>
  skipped: SkippedDocument[]
  /** Called when one of the counts has changed. */
  readonly onChange: () => void
}

export const newReadProgress = (onChange: () => void = () => {}): ReadProgress => ({
  onChange,
  bytesRead: 0,
  documents: 0,
  documentsUnchanged: 0,
  figuresRead: 0,
  malformed: 0,
  faults: new NamedFaults(),
  contradictions: new NamedFaults(),
  futureFilings: new Map(),
  unplaced: 0,
  leftOut: new Map(),
  skipped: [],
})

export interface SkippedDocument {
  readonly name: string
  readonly reason: string
}

/** A part of a document. Large documents are read in parts, so that they are never in memory as a whole. */
export interface ReadUnit {
  readonly parsed: readonly ParsedDocument[]
  readonly statements?: RegisterStatements
  readonly wholeFilings?: readonly StatedFiling[]
  /** Present in the last part of a document. It is recorded, so that a later import skips the document. */
  readonly receipt?: { readonly contentKey: string; readonly name: string }
}
