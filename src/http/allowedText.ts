import type { TSchema } from '@sinclair/typebox'

/** What a schema allows, in words that end an error message. */
export function allowedText(schema: TSchema): string {
  const choices = choicesOf(schema)
  if (choices !== null) return choices.length === 1 ? choices[0] : `one of ${choices.join(', ')}`
  const example = exampleOf(schema)
  if (schema.format === 'date') return `a day that exists, as YYYY-MM-DD${example}`
  if (schema.type === 'integer' || schema.type === 'number') {
    const noun = schema.type === 'integer' ? 'a whole number' : 'a number'
    return `${noun}${range(schema)}${example}`
  }
  if (schema.type === 'boolean') return 'true or false'
  const length = schema.maxLength === undefined ? '' : ` of at most ${schema.maxLength} characters`
  const pattern = schema.pattern === undefined ? '' : ` that matches ${schema.pattern}`
  return `a text${length}${pattern}${example}`
}

function choicesOf(schema: TSchema): string[] | null {
  if (schema.const !== undefined) return [String(schema.const)]
  if (!Array.isArray(schema.anyOf)) return null
  const constants = schema.anyOf.map((choice: TSchema) => choice.const)
  return constants.every((choice: unknown) => choice !== undefined) ? constants.map(String) : null
}

function range(schema: TSchema): string {
  if (schema.minimum !== undefined && schema.maximum !== undefined) {
    return ` from ${schema.minimum} to ${schema.maximum}`
  }
  if (schema.minimum !== undefined) return ` of at least ${schema.minimum}`
  return schema.maximum === undefined ? '' : ` of at most ${schema.maximum}`
}

function exampleOf(schema: TSchema): string {
  const example = Array.isArray(schema.examples) ? schema.examples[0] : undefined
  return example === undefined ? '' : `, like ${example}`
}
