import { Type } from '@sinclair/typebox'

export const SymbolAssumed = Type.Optional(
  Type.Literal(true, {
    description:
      "Only with a past as_of: no source says which company had the symbol on that day, so today's company is assumed. Send the `issuer_id` to be exact.",
  }),
)
