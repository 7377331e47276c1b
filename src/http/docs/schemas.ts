import type { TSchema } from '@sinclair/typebox'

/** A schema as readers of the documentation and generators of clients expect it. A union of constants becomes an `enum`, which
 * Swagger UI shows as a drop-down. A union of objects that differ in `object` gets a discriminator, so that generated types narrow
 * by it. A default goes into the description: Swagger UI would fill it into its form and send it, and openapi-typescript would
 * require the field. `allowed` is for messages and `anyCase` for readers of queries: here the description says it. */
export function documentedSchema({
  default: fallback,
  allowed: _,
  anyCase: __,
  ...schema
}: TSchema): TSchema {
  const documented: TSchema = { ...schema }
  if (fallback !== undefined) {
    const { description } = schema
    documented.description = `${description === undefined ? '' : `${description} `}Default: ${fallback}.`
  }
  if (schema.properties !== undefined) {
    documented.properties = Object.fromEntries(
      Object.entries<TSchema>(schema.properties).map(([name, property]) => [
        name,
        documentedSchema(property),
      ]),
    )
  }
  if (schema.items !== undefined) documented.items = documentedSchema(schema.items)
  if (!Array.isArray(schema.anyOf)) return documented
  const { anyOf, ...own } = documented
  return { ...own, ...documentedUnion(schema.anyOf) }
}

function documentedUnion(choices: readonly TSchema[]): object {
  const constants: unknown[] = choices.map(choice => choice.const)
  if (constants.every(constant => typeof constant === 'string')) return { type: 'string', enum: constants }
  const [first, second] = choices
  if (choices.length === 2 && second.type === 'null' && isPlain(first)) {
    return { ...documentedSchema(first), type: [first.type, 'null'] }
  }
  const documented = choices.map(documentedSchema)
  const objects = new Map(choices.map(choice => [choice.properties?.object?.const, reference(choice.$id)]))
  // Two of one `object` cannot be distinguished by it: generated types would name one of them for both.
  if (objects.has(undefined) || objects.size < choices.length) return { anyOf: documented }
  const discriminator = { propertyName: 'object', mapping: Object.fromEntries(objects) }
  return { oneOf: documented, discriminator }
}

/** A schema without a name of its own, which `null` may join in its `type`. */
const isPlain = (schema: TSchema) =>
  typeof schema.type === 'string' && schema.$id === undefined && schema.const === undefined

const reference = (name: unknown) => `#/components/schemas/${name}`

type Json = null | boolean | number | string | Json[] | JsonObject
type JsonObject = { [name: string]: Json }

/** The document with each schema that has an `$id` under components/schemas once, and a `$ref` in every place where it stood.
 * Fails on two schemas of one name: whichever won would describe the answers of the other wrongly. */
export function withNamedSchemas(document: JsonObject): JsonObject {
  const named = new Map<string, JsonObject>()

  function place(value: Json): Json {
    if (Array.isArray(value)) return value.map(place)
    return typeof value === 'object' && value !== null ? placeObject(value) : value
  }

  function placeObject({ $id: name, ...own }: JsonObject): JsonObject {
    const placed = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, place(value)]))
    if (typeof name !== 'string') return placed
    const known = named.get(name)
    if (known === undefined) named.set(name, placed)
    else if (!Bun.deepEquals(known, placed)) throw new Error(`Two schemas have the name ${name}.`)
    return { $ref: reference(name) }
  }

  const { components, ...rest } = placeObject(document)
  const sorted = [...named].sort(([a], [b]) => (a < b ? -1 : 1))
  return { ...rest, components: { ...Object(components), schemas: Object.fromEntries(sorted) } }
}
