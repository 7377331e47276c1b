import type { Manifest } from './manifest.ts'
import type { MetricDefinition } from './metrics.ts'

/** The usual reporting currency of a market's companies. The text in the manifest begins with its code. */
export const currencyOf = ({ currency }: Pick<Manifest, 'currency'>): string => currency.slice(0, 3)

/** Whether figures of this unit are money, which can only be compared within one currency. */
export const isMoney = (unit: MetricDefinition['unit']): boolean =>
  unit === 'currency' || unit === 'currency/share'
