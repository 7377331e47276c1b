import { Type } from '@sinclair/typebox'
import { joinFormats } from '../../backtest/asOf/request.ts'
import type { JsonObject } from '../../backtest/codec/jsonReader.ts'
import type { JobKind } from '../../jobs/kind.ts'

const format = Type.Union(joinFormats.map(name => Type.Literal(name)))
const AuditInput = Type.Object({
  format,
  query: Type.Object({
    /** The formats in which the rows are stored. The report is stored in any case. */
    formats: Type.Array(format),
    /** The settings that came as query parameters. */
    settings: Type.Unsafe<JsonObject>(Type.Object({})),
  }),
})

/** An audit of many rows, or one submitted with `Prefer: respond-async`. A single task runs it to its result. */
export const auditKind: JobKind<typeof AuditInput> = {
  name: 'audit',
  input: AuditInput,
  firstTask: 'audit_run',
  digestParts: ['audit'],
}
