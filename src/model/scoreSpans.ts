/** The figures that rank the assets of a dataset, as the database packs them: for each of some assets the spans of dates
 * in which one figure is its score. Numbers are big-endian. */
export interface ScoreSpans {
  /** Places in the dataset's assets, ascending, 4 bytes each. */
  readonly places: Uint8Array
  /** Spans of each of them, 4 bytes each; the spans themselves follow one another in this order. */
  readonly counts: Uint8Array
  /** The first date on which the span's figure may be used: the day after it became known. Days since 1970-01-01, 4 bytes
   * each, ascending within an asset; a span ends where the next of its asset begins. */
  readonly firstDays: Uint8Array
  /** The last date on which it is not too old, likewise. */
  readonly lastDays: Uint8Array
  /** 8 bytes each; NaN: no figure. */
  readonly values: Uint8Array
}
