import { Type } from '@sinclair/typebox'

/**
 * A computed metric without a row: its unreported components or, if all are reported, why it is not computed.
 */
export const MissingComponents = Type.Object(
  {
    metric: Type.String({ description: 'A computed metric.', examples: ['free_cash_flow'] }),
    components: Type.Array(Type.String(), { examples: [['capital_expenditure']] }),
    reason: Type.Optional(
      Type.String({
        description: 'Why components that are stated are not combined, with the fiscal period.',
        examples: [
          'FY 2020: one of long_term_debt_current and long_term_debt_noncurrent is stated with leases and the other without, so they are not added.',
        ],
      }),
    ),
  },
  { additionalProperties: false, $id: 'MissingComponents' },
)
