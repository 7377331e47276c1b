import type { Contribution } from '../../facts/reportedFact.ts'

export interface ReadProgress {
  /** Bytes of the files named, as far as they were worked through. */
  bytesRead: number
  documents: number
  /** Documents that an earlier import had read to their end. */
  documentsKnown: number
  figuresRead: number
  malformed: number
  /** Figures over a period that no fiscal year has. */
  unplaced: number
  /** Records that were left out on purpose, by the reason. */
  readonly leftOut: Map<string, number>
  skipped: SkippedDocument[]
  /** Called whenever some of the above has changed. */
  readonly changed: () => void
}

export const startReading = (changed: () => void = () => {}): ReadProgress => ({
  changed,
  bytesRead: 0,
  documents: 0,
  documentsKnown: 0,
  figuresRead: 0,
  malformed: 0,
  unplaced: 0,
  leftOut: new Map(),
  skipped: [],
})

export interface SkippedDocument {
  readonly name: string
  readonly reason: string
}

export interface ReadUnit {
  readonly contributions: readonly Contribution[]
  /** Given with the last of what a document contributes. */
  readonly receipt?: { readonly contentKey: string; readonly name: string }
}
