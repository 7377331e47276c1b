import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { ArchiveRequest } from '../../src/compute/protocol.ts'
import { Failure } from '../../src/errors.ts'
import { BacktestRequest } from '../../src/model/backtest.ts'
import type { Columns } from '../../src/quant/columns.ts'
import { describeFault, unknownParameter } from './describeFault.ts'
import { type JsonObject, JsonReader } from './JsonReader.ts'
import { readPanel } from './readPanel.ts'

/** A request for a panel or for the archive. */
export type BacktestBody =
  | (Pick<ArchiveRequest, 'config' | 'include'> & { readonly panel: Columns })
  | (ArchiveRequest & { readonly panel: null })

const known = Object.keys(BacktestRequest.properties)
const rest = Type.Omit(BacktestRequest, ['panel'], { additionalProperties: false })
const restCheck = TypeCompiler.Compile(rest)

/** A request body, from bytes to a checked request. Fails with the path of the first fault; only the panel's cells are
 * yet to be compared with each other. */
export function readBody(bytes: Uint8Array): BacktestBody {
  const reader = new JsonReader(bytes)
  reader.skipSpace()
  if (reader.at === bytes.length) reader.malformed('it is empty; send {} for the archive with defaults')
  if (bytes[reader.at] !== 0x7b) {
    throw new Failure(
      'body_invalid',
      'The body must be a JSON object such as {"config": {...}, "panel": [...]}.',
    )
  }
  const { fields, panel } = readFields(reader)
  if (!restCheck.Check(fields)) {
    const fault = restCheck.Errors(fields).First()
    throw fault
      ? describeFault(fault, [], rest)
      : new Failure('body_invalid', 'The body does not fit the schema.')
  }
  const { config = {}, source, include = [] } = fields
  if (panel === null) {
    checkSpan(source)
    return { config, source: source ?? {}, include, panel }
  }
  if (source !== undefined) {
    throw new Failure(
      'backtest_impossible',
      'source and panel are both given. Send one of them, or neither for the archive with defaults.',
      {
        param: 'panel',
      },
    )
  }
  return { config, include, panel }
}

function readFields(reader: JsonReader): { fields: JsonObject; panel: Columns | null } {
  const fields: JsonObject = Object.create(null)
  let panel: Columns | null = null
  reader.expect(0x7b)
  if (!reader.take(0x7d)) {
    do {
      const key = reader.key(name => name in fields || (name === 'panel' && panel !== null))
      if (!known.includes(key)) throw unknownParameter(key.slice(0, 60), known)
      reader.path.push(key)
      reader.skipSpace()
      if (key !== 'panel') fields[key] = reader.value()
      else if (reader.bytes[reader.at] === 0x5b) panel = readPanel(reader)
      else {
        throw new Failure(
          'parameter_invalid',
          'panel must be an array of rows {date, asset, market?, score, forward_return}.',
          {
            param: 'panel',
          },
        )
      }
      reader.path.pop()
    } while (reader.take(0x2c))
    reader.expect(0x7d)
  }
  reader.skipSpace()
  if (reader.at < reader.bytes.length) reader.malformed('something follows the object')
  return { fields, panel }
}

function checkSpan(source: BacktestRequest['source']): void {
  if (!source?.from || !source.to || source.from <= source.to) return
  throw new Failure('parameter_invalid', `source.from (${source.from}) is after source.to (${source.to}).`, {
    param: 'source.from',
  })
}
