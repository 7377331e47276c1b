import { Type } from '@sinclair/typebox'
import type { Call } from './Call.ts'
import { queryReader } from './parameters.ts'

const readNothing = queryReader(Type.Object({}, { additionalProperties: false }))

/** For routes that take no query parameters: refuses every one. */
export function noQuery(call: Call): void {
  if (call.queryText !== '') readNothing(call.queryText)
}
