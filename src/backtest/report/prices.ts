import type { BacktestPricedRows, BacktestPricesUsed } from '../resultPrices.ts'
import { plural } from './numberFormat.ts'

/** Where the returns come from, in a few sentences. */
export function describePrices({
  set,
  currency,
  known,
  horizon,
  entry,
  data_version,
}: BacktestPricesUsed): string {
  return `The returns are computed from the price set ${set} in ${currency}, as known on ${known}, data version ${data_version}. ${entry} It is sold ${plural(horizon, 'trading day')} later.`
}

/** What became of rows, in the order of the result. */
export const pricedRowPhrases: readonly { readonly key: keyof BacktestPricedRows; readonly text: string }[] =
  [
    { key: 'sent', text: 'Sent' },
    { key: 'used', text: 'Used' },
    { key: 'with_return', text: 'Used, with a return' },
    { key: 'carried', text: 'Used; no close on the exit day, so the latest earlier one counts' },
    { key: 'stated_delistings', text: 'Used; delisted, with the return that the set states' },
    { key: 'assumed_delistings', text: 'Used; the prices end, with the assumed delisting return' },
    { key: 'no_entry', text: 'Used; no close on the day of entry, which earns 0' },
    {
      key: 'undecided',
      text: 'Used; the prices ended too recently to know whether they go on, which earns 0',
    },
    { key: 'not_ended', text: 'Left out: the exit day has not come' },
    { key: 'not_traded', text: 'Left out: no close on the ten latest trading days' },
    { key: 'unknown_company', text: 'Left out: the ID names no known company on the date' },
    { key: 'no_prices', text: 'Left out: the set has no prices of the company' },
    { key: 'several_securities', text: 'Left out: the ID names none of the company’s securities' },
  ]
