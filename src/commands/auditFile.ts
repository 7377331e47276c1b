import type { SentBody } from '../backtest/codec/bodyBytes.ts'
import type { JsonObject } from '../backtest/codec/jsonReader.ts'
import { type PanelFormat, recogniseFormat, withoutByteOrderMark } from '../backtest/panelFile/panelFormat.ts'
import { Failure } from '../errors.ts'
import { bodyMediaTypes } from '../formats/mediaTypes.ts'
import { type InputRows, loadRows } from './inputFile.ts'

/** A file as the body of a request, and the settings beside it. */
export interface SentAuditFile {
  readonly body: SentBody
  readonly contentType: string
  readonly query: Readonly<Record<string, string>>
}

/**
 * Makes a request of the rows of a file. A JSON body contains the settings; beside other bodies they are parameters.
 */
export async function auditRequest(
  { body }: InputRows,
  name: string,
  settings: JsonObject,
): Promise<SentAuditFile> {
  const format = await formatOf(body)
  const [contentType] = bodyMediaTypes[format]
  if (format !== 'json') return { body, contentType, query: queryOf(settings) }
  const text = new TextDecoder().decode(withoutByteOrderMark(await loadRows(body, name)))
  return { body: new TextEncoder().encode(jsonBody(text, name, settings)), contentType, query: {} }
}

/** Enough to tell the formats apart: a row, or the settings of a request. */
const recognisedBytes = 1_024 * 1_024

const formatOf = async (body: SentBody): Promise<PanelFormat> =>
  recogniseFormat(
    body instanceof Uint8Array ? body : await Bun.file(body.path).slice(0, recognisedBytes).bytes(),
  )

function queryOf(settings: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.join(',')]
      return [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]
    }),
  )
}

/** The text of the rows is kept as it is: parsed and written again, large integers would lose digits. */
function jsonBody(text: string, name: string, settings: JsonObject): string {
  const value = parse(text, name)
  if (Array.isArray(value)) return JSON.stringify({ ...settings, rows: columnsOf(value, name) })
  if (!('rows' in value)) return `${JSON.stringify(settings).slice(0, -1)}${comma(settings)}"rows":${text}}`
  const [twice] = Object.keys(settings).filter(setting => Object.hasOwn(value, setting))
  if (twice !== undefined)
    throw new Failure('parameter_invalid', `${name} and an option both set ${twice}. Set it in one of them.`)
  const rest = text.slice(text.indexOf('{') + 1)
  return `${JSON.stringify(settings).slice(0, -1)}${comma(settings)}${rest}`
}

const comma = (settings: JsonObject) => (Object.keys(settings).length === 0 ? '' : ',')

function parse(text: string, name: string): object | unknown[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Failure('malformed_json', `${name} is not valid JSON.`, { cause })
  }
  if (typeof value === 'object' && value !== null) return value
  throw new Failure(
    'body_invalid',
    `${name} has to be an object of columns, a list of rows, or a request with rows.`,
  )
}

/** Columns of a list of rows. A field that a row does not have is missing. */
function columnsOf(rows: readonly unknown[], name: string): Record<string, unknown[]> {
  const columns = new Map<string, unknown[]>()
  for (const [at, row] of rows.entries()) {
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      throw new Failure('body_invalid', `${name}: row ${at + 1} is not an object.`)
    for (const [field, value] of Object.entries(row)) {
      const column = columns.get(field) ?? new Array<unknown>(rows.length).fill(null)
      column[at] = value
      columns.set(field, column)
    }
  }
  return Object.fromEntries(columns)
}
