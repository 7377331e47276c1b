import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { documentedSchema, withNamedSchemas } from '../../../src/http/docs/schemas.ts'

const list = (object: string, name: string) => Type.Object({ object: Type.Literal(object) }, { $id: name })

describe('a documented schema', () => {
  test('of objects that differ in `object` has a discriminator, so that types narrow by it', () => {
    const documented = documentedSchema(Type.Union([list('a', 'A'), list('b', 'B')]))
    expect(documented.discriminator).toEqual({
      propertyName: 'object',
      mapping: { a: '#/components/schemas/A', b: '#/components/schemas/B' },
    })
    expect(documented.oneOf).toHaveLength(2)
  })

  test('of two kinds with the same `object` has none, which would name one of them for both', () => {
    const documented = documentedSchema(Type.Union([list('a', 'A'), list('a', 'B'), list('b', 'C')]))
    expect(Object.keys(documented)).toEqual(['anyOf'])
  })

  test('says its default in words, so that generated types do not require the field', () => {
    const field = Type.Integer({ default: 5, description: 'Test blocks.' })
    expect(documentedSchema(field)).toMatchObject({
      type: 'integer',
      description: 'Test blocks. Default: 5.',
    })
    expect(documentedSchema(field).default).toBeUndefined()
  })

  test('of a value or null is one type with null', () => {
    const field = Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description: 'A cost.' })
    expect(documentedSchema(field)).toMatchObject({
      type: ['number', 'null'],
      description: 'A cost.',
      minimum: 0,
    })
  })
})

describe('named schemas', () => {
  const row = { $id: 'Row', type: 'object', properties: { v: { type: 'number' } } }

  test('are under components once, and a reference everywhere else', () => {
    const document = { paths: { a: { schema: row }, b: { schema: { type: 'array', items: row } } } }
    const { $id: _, ...own } = row
    const reference = { $ref: '#/components/schemas/Row' }
    expect(withNamedSchemas(document)).toEqual({
      paths: { a: { schema: reference }, b: { schema: { type: 'array', items: reference } } },
      components: { schemas: { Row: own } },
    })
  })

  test('fail where two have one name', () => {
    const other = { $id: 'Row', type: 'object', properties: { v: { type: 'string' } } }
    expect(() => withNamedSchemas({ a: row, b: other })).toThrow('Two schemas have the name Row.')
  })
})
