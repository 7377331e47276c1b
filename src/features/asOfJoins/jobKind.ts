import { Type } from '@sinclair/typebox'
import { joinFormats } from '../../backtest/asOf/request.ts'
import type { JsonObject } from '../../backtest/codec/jsonReader.ts'
import type { JobKind } from '../../jobs/kind.ts'

const format = Type.Union(joinFormats.map(name => Type.Literal(name)))
const answerFormat = Type.Union(joinFormats.map(name => Type.Literal(name)))
const JoinInput = Type.Object({
  format,
  query: Type.Object({
    /** The result's format. */
    format: answerFormat,
    /** The settings that came as query parameters. */
    settings: Type.Unsafe<JsonObject>(Type.Object({})),
  }),
})

/** A join submitted with `Prefer: respond-async`. A single task runs it to its result. */
export const joinKind: JobKind<typeof JoinInput> = {
  name: 'as_of',
  input: JoinInput,
  firstTask: 'as_of_run',
  digestParts: ['as_of'],
}
