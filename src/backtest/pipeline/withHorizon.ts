import type { BacktestSettings } from '../codec/settings.ts'
import type { BacktestPrices } from '../requestPrices.ts'

/** A request whose returns cover the horizon of its prices. */
export const withHorizon = <Request extends Pick<BacktestSettings, 'config'>>(
  request: Request,
  prices: BacktestPrices & { readonly horizon: number },
): Request & { readonly prices: BacktestPrices } => ({
  ...request,
  prices,
  config: { ...request.config, returnDays: prices.horizon },
})
