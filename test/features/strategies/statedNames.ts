import { findPricedStrategy } from '../../../src/markets/strategies/pricedStrategies.ts'
import { strategies } from '../../../src/markets/strategies/strategies.ts'

/** The strategies that follow from filings alone, and the parts of the others that do. */
export const statedNames: readonly string[] = [...strategies.keys()].flatMap(
  name => findPricedStrategy(name)?.parts.map(({ strategy }) => strategy.name) ?? [name],
)
