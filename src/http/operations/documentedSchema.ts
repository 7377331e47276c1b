import type { TSchema } from '@sinclair/typebox'

/** A schema as readers of the documentation know it best: a choice between constants is an `enum`, which Swagger UI
 * shows as a list to choose from. */
export function documentedSchema(schema: TSchema): TSchema {
  const documented: TSchema = { ...schema }
  const constants = constantsOf(schema)
  if (constants !== null) {
    documented.enum = constants
    documented.type = typeof constants[0]
    delete documented.anyOf
    return documented
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
  if (Array.isArray(schema.anyOf)) documented.anyOf = schema.anyOf.map(documentedSchema)
  return documented
}

function constantsOf(schema: TSchema): string[] | null {
  if (!Array.isArray(schema.anyOf) || schema.anyOf.length === 0) return null
  const constants = schema.anyOf.map((choice: TSchema) => choice.const)
  return constants.every((constant: unknown) => typeof constant === 'string') ? constants : null
}
