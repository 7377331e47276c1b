/** Where a chart's values lie, in pixels. */
export interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly x: Float64Array
  readonly y: Float64Array
  readonly yOf: (value: number) => number
  readonly xOf: (day: number) => number
}
