import type { BodyQuery } from '../../src/model/bodyFormat.ts'
import { type JsonObject, JsonReader } from './JsonReader.ts'

const encoder = new TextEncoder()

/** The fields of a request whose body is CSV. */
export function readQueryFields({ config, include, sweep }: BodyQuery): JsonObject {
  return {
    ...(config === undefined ? {} : { config: readJsonText('config', config) }),
    ...(sweep === undefined ? {} : { sweep: readJsonText('sweep', sweep) }),
    ...(include === undefined ? {} : { include: include.split(',') }),
  }
}

function readJsonText(name: string, text: string) {
  const reader = new JsonReader(encoder.encode(text), `The query parameter ${name}`)
  reader.path.push(name)
  const value = reader.value()
  reader.skipSpace()
  if (reader.at < reader.bytes.length) reader.malformed('something follows the value')
  return value
}
