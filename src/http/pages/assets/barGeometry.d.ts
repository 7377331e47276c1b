export interface ValueAxis {
  readonly low: number
  readonly high: number
  readonly ticks: readonly { readonly value: number; readonly text: string }[]
}

export interface BarValue {
  readonly value: number
  readonly ghost?: number
}

export interface BarsToLayOut {
  readonly labels: readonly string[]
  readonly series: readonly (readonly (BarValue | null | undefined)[])[]
  readonly isStacked: boolean
  readonly axis: ValueAxis
}

export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface BarSlot {
  readonly left: number
  readonly width: number
  readonly middle: number
  /** Empty if there is no room for it. */
  readonly label: string
  /** The box of the exact values. */
  readonly tip: { readonly x: number; readonly width: number }
  /** By series. */
  readonly bars: readonly ((Rect & { readonly ghost: Rect | null }) | null)[]
}

export interface BarLayout {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly zero: number
  readonly ticks: readonly { readonly y: number; readonly text: string }[]
  readonly slots: readonly BarSlot[]
}

export function layOutBars(
  chart: BarsToLayOut,
  size: { readonly width: number; readonly height: number },
): BarLayout
