/** A measured number. budget.json may hold a bound under its name. */
export interface Figure {
  /** `bench.figure`. */
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
    | 'sweeps/s'
    | 'cores'
    | 'reads'
  /** Minimum and maximum of the runs, for display. */
  readonly spread?: string
}
