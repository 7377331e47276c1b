import type { Manifest } from './manifest.ts'
import type { MetricDefinition } from './metrics.ts'

/** The currency in which companies of a market report as a rule. A manifest's text begins with its code. */
export const currencyOf = ({ currency }: Pick<Manifest, 'currency'>): string => currency.slice(0, 3)

/** Whether figures of this unit are amounts of money, which have an order only within one currency. */
export const isMoney = (unit: MetricDefinition['unit']): boolean =>
  unit === 'currency' || unit === 'currency/share'
