import type { JoinFormat } from '../../backtest/asOf/request.ts'
import type { JsonObject } from '../../backtest/codec/jsonReader.ts'
import { recogniseFormat } from '../../backtest/panelFile/panelFormat.ts'
import { Failure } from '../../errors.ts'
import type { SubmittedFile } from '../../http/fileForm.ts'
import type { SentAudit } from '../audits/runAudit.ts'
import { sampleFile } from './sample.ts'

const names = ['columns', 'inclusive', 'maxAge', 'forwardReturn', 'filings', 'do'] as const

/** The fields of the form. `columns` may be JSON for 20 columns. */
export const formFields = { names, maxLength: 4_000 }
export type FieldName = (typeof names)[number]
export type AuditForm = SubmittedFile<FieldName>
export type Typed = AuditForm['typed']

/** The audit that a form asks for. */
export async function auditOfForm({ typed, file }: AuditForm): Promise<SentAudit> {
  const query = settingsOf(typed)
  if (typed.do === 'sample') return { body: new TextEncoder().encode(sampleFile), format: 'csv', query }
  if (file === null)
    throw new Failure('body_invalid', 'No file was chosen. Choose one, or try the sample.', { param: 'file' })
  const body = new Uint8Array(await file.arrayBuffer())
  return { body, format: formatOf(body), query }
}

function formatOf(body: Uint8Array): JoinFormat {
  if (body[0] === 0x1f && body[1] === 0x8b)
    throw new Failure('body_invalid', 'The file looks gzipped. Unpack it first, or send it as Parquet.', {
      param: 'file',
    })
  const format = recogniseFormat(body)
  if (format !== 'json') return format
  throw new Failure(
    'body_invalid',
    'The file is JSON. This page reads CSV, NDJSON, Parquet and Arrow streams; POST /api/v1/audits reads JSON.',
    { param: 'file' },
  )
}

/** The fields as settings of the API, whose schema validates them. */
function settingsOf({ columns, inclusive, maxAge, forwardReturn, filings }: Typed): JsonObject {
  return {
    ...(columns === undefined ? {} : { columns: columnsOf(columns) }),
    ...(inclusive === undefined ? {} : { inclusive: true }),
    ...(maxAge === undefined ? {} : { max_age_days: numberOf(maxAge) }),
    ...(forwardReturn === undefined ? {} : { forward_return: forwardReturn }),
    ...(filings === undefined ? {} : { with: ['filing', 'filed', 'end'] }),
  }
}

/** Either the JSON of the API, or pairs such as `sales=revenue, eps_ttm=eps`. */
function columnsOf(text: string): JsonObject[string] {
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text)
    } catch {
      throw notColumns()
    }
  }
  const pairs = text.split(/[\s,;]+/).filter(part => part !== '')
  return Object.fromEntries(
    pairs.map(pair => {
      const at = pair.lastIndexOf('=')
      if (at < 1 || at === pair.length - 1) throw notColumns()
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

const notColumns = () =>
  new Failure(
    'parameter_invalid',
    'Columns are pairs of a column and its metric, such as sales=revenue, eps_ttm=eps, or JSON such as {"sales": {"metric": "revenue", "scale": 1000000}}.',
    { param: 'columns' },
  )

function numberOf(text: string): number {
  const value = Number(text)
  if (Number.isFinite(value)) return value
  throw new Failure(
    'parameter_invalid',
    `The maximum age is ${JSON.stringify(text.slice(0, 40))}, which is not a number of days.`,
    { param: 'max_age_days' },
  )
}

const fieldOfParam: Readonly<Record<string, FieldName>> = {
  inclusive: 'inclusive',
  max_age_days: 'maxAge',
  forward_return: 'forwardReturn',
  with: 'filings',
}

/** The field that an error concerns; null: the file or the whole form. */
export function faultyField({ details: { param = '' } }: Failure): FieldName | null {
  return param === 'columns' || param.startsWith('columns.') ? 'columns' : (fieldOfParam[param] ?? null)
}
