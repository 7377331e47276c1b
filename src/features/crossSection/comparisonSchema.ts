import { Type } from '@sinclair/typebox'

/** Parameters that control how companies' figures are compared. */
export const comparisonParameters = {
  sort: Type.Optional(
    Type.String({
      pattern: '^-?[a-z][a-z0-9_]*$',
      maxLength: 65,
      allowed: 'a metric, with - before it for the largest first',
      description:
        'Sorts all companies of the market, and not just those of a page: `-revenue` has the largest first, `roe` the smallest. The metric does not need to be a column. Amounts are sorted within `currency`. Companies without the figure are left out and counted (`unranked`); companies with equal figures are in the order in which they were first imported. Default: that order alone.',
      examples: ['-revenue'],
    }),
  ),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{3}$',
      allowed: 'a code of three letters',
      description:
        "The currency of the amounts: only companies whose amounts in this request are in it. Without it, amounts that are sorted or have a bound are those in the market's own currency, because amounts in two currencies cannot be compared; all other amounts are shown in the currency that each company reports in. Ratios and counts have no currency.",
      examples: ['USD'],
    }),
  ),
}

const CurrencyCount = Type.Object(
  {
    currency: Type.String({
      description:
        'Several currencies, separated by spaces: companies with compared amounts in each of them, which are never ranked.',
      examples: ['CAD'],
    }),
    companies: Type.Integer({ examples: [3] }),
  },
  { additionalProperties: false, $id: 'CurrencyCount' },
)

/** Fields that say how a response's companies were compared. */
export const comparisonFields = {
  sort: Type.Optional(Type.String({ description: 'Only where it was sent.', examples: ['-revenue'] })),
  currency: Type.Optional(
    Type.String({
      description:
        'Only present if amounts are sorted, have a bound, or were requested in one currency: that currency.',
      examples: ['USD'],
    }),
  ),
  total: Type.Optional(
    Type.Integer({ description: 'With `sort`: how many companies all pages have. Not for evaluation keys.' }),
  ),
  unranked: Type.Optional(
    Type.Integer({
      description:
        'With `sort`: how many companies within the bounds are left out because they have no such figure. Bounds on amounts do not apply to amounts in another currency. Not for evaluation keys.',
    }),
  ),
  other_currencies: Type.Optional(
    Type.Array(CurrencyCount, {
      description:
        'With `sort`: the companies that have every figure that is sorted or has a bound, but are left out because such an amount is in another currency. Bounds on amounts are in `currency`, so they do not apply to amounts in another one. Not for evaluation keys.',
    }),
  ),
}
