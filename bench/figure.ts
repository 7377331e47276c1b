/** One measured number. Its bound, if it has one, stands under its name in budget.json. */
export interface Figure {
  /** `bench.what_was_measured`. */
  readonly name: string
  readonly value: number
  readonly unit:
    | 'times'
    | 'ms'
    | 's'
    | 'MB'
    | 'bytes/row'
    | 'rows'
    | 'answers'
    | 'rows/s'
    | 'facts/s'
    | 'requests/s'
  /** Least and most of the runs, for people. */
  readonly spread?: string
}
