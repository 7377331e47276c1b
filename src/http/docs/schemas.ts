import type { TSchema } from '@sinclair/typebox'

/** Adapts a schema to what readers of the documentation and client generators expect. A union of constants
 * becomes an `enum`, which Swagger UI shows as a drop-down. A union of objects that differ in `object` gets
 * a discriminator, so that generated types narrow by it. A default moves into the description: Swagger UI
 * would fill it into its form and send it, and openapi-typescript would make the field required. `allowed`
 * and `anyCase` are for error messages and query readers, and are covered by the description here. */
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
  for (const keyword of ['properties', 'patternProperties'])
    if (schema[keyword] !== undefined)
      documented[keyword] = Object.fromEntries(
        Object.entries<TSchema>(schema[keyword]).map(([name, property]) => [
          name,
          documentedSchema(property),
        ]),
      )
  if (schema.items !== undefined) documented.items = documentedSchema(schema.items)
  if (!Array.isArray(schema.anyOf)) return documented
  const { anyOf, ...own } = documented
  return { ...own, ...documentedUnion(schema.anyOf) }
}

function documentedUnion(choices: readonly TSchema[]): object {
  const constants: unknown[] = choices.map(choice => choice.const)
  if (constants.every(constant => typeof constant === 'string')) return { type: 'string', enum: constants }
  // Generated clients in Python would have types that no type checker accepts. The description names the values.
  if (constants.some(constant => typeof constant === 'number' && !Number.isInteger(constant)))
    return { type: 'number' }
  const [first, second] = choices
  if (choices.length === 2 && second.type === 'null' && isPlain(first)) {
    return { ...documentedSchema(first), type: [first.type, 'null'] }
  }
  const documented = choices.map(documentedSchema)
  const objects = new Map(choices.map(choice => [choice.properties?.object?.const, reference(choice.$id)]))
  // If two schemas share one `object`, generated types would use one of them for both.
  if (objects.has(undefined) || objects.size < choices.length) return { anyOf: documented }
  const discriminator = { propertyName: 'object', mapping: Object.fromEntries(objects) }
  return { oneOf: documented, discriminator }
}

/** A schema without a name of its own, to whose `type` `null` can be added. */
const isPlain = (schema: TSchema) =>
  typeof schema.type === 'string' && schema.$id === undefined && schema.const === undefined

const reference = (name: unknown) => `#/components/schemas/${name}`

type Json = null | boolean | number | string | Json[] | JsonObject
type JsonObject = { [name: string]: Json }

/** Moves each schema with an `$id` to components/schemas and replaces every occurrence with a `$ref`. Fails
 * if two schemas share one name: whichever was kept would describe the other's responses wrongly. */
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
