import { Failure } from '../../src/errors.ts'
import type { BodyFormat } from '../../src/model/bodyFormat.ts'
import { JsonReader } from './JsonReader.ts'
import type { PanelRows } from './PanelRows.ts'
import { readCsv } from './readCsv.ts'
import { readJsonFields } from './readJsonBody.ts'
import { readNdjson } from './readNdjson.ts'

/** The rows of a body that has nothing but rows. */
export function readPanelBody(bytes: Uint8Array, format: BodyFormat): PanelRows {
  switch (format) {
    case 'csv':
      return readCsv(bytes)
    case 'ndjson': {
      const { fields, rows } = readNdjson(bytes)
      const [name] = Object.keys(fields)
      if (name === undefined) return rows
      throw new Failure(
        'parameter_unknown',
        `${name} in the first line belongs to a backtest. A panel is stored without it: begin with the first row.`,
        { param: name },
      )
    }
    case 'json':
      return readJson(bytes)
    default:
      return format satisfies never
  }
}

function readJson(bytes: Uint8Array): PanelRows {
  const reader = new JsonReader(bytes)
  reader.skipSpace()
  if (reader.at === bytes.length) reader.malformed('it is empty; send {"panel": [...]}')
  const { panel } = readJsonFields(reader, ['panel'])
  if (panel !== null && typeof panel !== 'string') return panel
  const said = panel === null ? 'is missing' : 'is the id of a panel, which is stored already'
  throw new Failure(
    'parameter_invalid',
    `panel ${said}. Send its rows: {"panel": [...]} or {"panel": {...}}.`,
    {
      param: 'panel',
    },
  )
}
