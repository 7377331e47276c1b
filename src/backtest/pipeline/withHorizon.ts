import { Failure } from '../../errors.ts'
import type { BacktestSettings } from '../codec/settings.ts'
import type { BacktestPrices } from '../requestPrices.ts'

/** A request whose returns cover the horizon of its prices. */
export function withHorizon<Request extends Pick<BacktestSettings, 'config'>>(
  request: Request,
  prices: BacktestPrices & { readonly horizon: number },
): Request & { readonly prices: BacktestPrices } {
  const { returnDays } = request.config
  if (returnDays === undefined || returnDays === prices.horizon)
    return { ...request, prices, config: { ...request.config, returnDays: prices.horizon } }
  throw new Failure(
    'parameter_invalid',
    `returnDays is ${returnDays}, but the returns that prices give to the rows of this batch cover ${prices.horizon} trading days. Send the same number in every configuration, or omit it.`,
    { param: 'config.returnDays' },
  )
}
