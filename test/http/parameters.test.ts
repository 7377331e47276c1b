import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Failure } from '../../src/errors.ts'
import { FundamentalsQuery } from '../../src/features/fundamentals/schema.ts'
import { SearchQuery } from '../../src/features/search/schema.ts'
import { SignalsQuery } from '../../src/features/signals/schema.ts'
import { pathReader, queryReader } from '../../src/http/parameters.ts'

const readFundamentals = queryReader(FundamentalsQuery)
const readSignals = queryReader(SignalsQuery)
const readSearch = queryReader(SearchQuery)

function fault(read: (text: string) => unknown, text: string): [string, string | undefined, string] {
  try {
    read(text)
  } catch (error) {
    if (error instanceof Failure) return [error.code, error.details.param, error.message]
    throw error
  }
  return ['accepted', undefined, '']
}

describe('a query is read by its schema', () => {
  test('texts, whole numbers, plus signs, percent-encoding', () => {
    expect(readFundamentals('ticker=AAPL&as_of=2010-02-01&view=latest&metric=revenue%2Cnet_margin')).toEqual({
      ticker: 'AAPL',
      as_of: '2010-02-01',
      view: 'latest',
      metric: 'revenue,net_margin',
    })
    expect(readSignals('limit=50000')).toEqual({ limit: 50_000 })
    expect(readSearch('q=soci%C3%A9t%C3%A9+g%C3%A9n%C3%A9rale')).toEqual({ q: 'société générale' })
    expect(readFundamentals('')).toEqual({})
    expect(readFundamentals('ticker=AAPL&')).toEqual({ ticker: 'AAPL' })
  })

  test('a value may hold an equals sign', () => {
    expect(readSearch('q=a=b')).toEqual({ q: 'a=b' })
  })
})

describe('each fault names its parameter and what is allowed', () => {
  for (const [name, text, code, param, hint] of [
    ['unknown', 'asof=2010-01-01', 'parameter_unknown', 'asof', 'as_of'],
    ['an inherited name', '__proto__=1', 'parameter_unknown', '__proto__', 'ticker'],
    ['repeated', 'ticker=A&ticker=B', 'parameter_repeated', 'ticker', 'once'],
    ['repeated, differently spelt', 'ticker=A&%74icker=B', 'parameter_repeated', 'ticker', 'once'],
    ['empty', 'ticker=', 'parameter_invalid', 'ticker', 'AAPL'],
    ['without a value', 'ticker', 'parameter_invalid', 'ticker', 'AAPL'],
    ['a day that does not exist', 'from=2024-02-30', 'parameter_invalid', 'from', 'YYYY-MM-DD'],
    ['a day with a time', 'from=2024-02-03T00:00:00Z', 'parameter_invalid', 'from', 'YYYY-MM-DD'],
    // Whether a day or an instant exists is checked in test/markets/asOf.test.ts.
    ['neither a day nor an instant', 'as_of=yesterday', 'parameter_invalid', 'as_of', '2010-01-25@close'],
    ['a choice that is none', 'view=newest', 'parameter_invalid', 'view', 'history, latest'],
    ['wrong case', 'view=Latest', 'parameter_invalid', 'view', 'latest'],
    ['a number too large', 'limit=1001', 'parameter_invalid', 'limit', 'from 1 to 1000'],
    ['a negative number', 'limit=-5', 'parameter_invalid', 'limit', 'from 1 to 1000'],
    ['no number', 'limit=NaN', 'parameter_invalid', 'limit', 'whole number'],
    ['infinity', 'limit=1e999', 'parameter_invalid', 'limit', 'whole number'],
    ['a fraction', 'limit=1.5', 'parameter_invalid', 'limit', 'whole number'],
    ['hexadecimal', 'limit=0x10', 'parameter_invalid', 'limit', 'whole number'],
    ['NUL', 'ticker=A%00B', 'parameter_invalid', 'ticker', 'control'],
    ['a line feed', 'ticker=A%0AB', 'parameter_invalid', 'ticker', 'control'],
    ['a lone surrogate', 'ticker=%ED%A0%80', 'parameter_invalid', 'ticker', 'UTF-8'],
    ['half an escape', 'ticker=%4', 'parameter_invalid', 'ticker', 'UTF-8'],
    ['an escape that is none', 'ticker=%zz', 'parameter_invalid', 'ticker', 'UTF-8'],
    ['overlong UTF-8', 'ticker=%C0%80', 'parameter_invalid', 'ticker', 'UTF-8'],
    ['raw bytes that are no UTF-8', 'ticker=%EF%BF%BD', 'parameter_invalid', 'ticker', 'UTF-8'],
    ['SQL', "ticker=AAPL'--", 'parameter_invalid', 'ticker', 'AAPL'],
    ['too long a value', `cursor=${'a'.repeat(201)}`, 'parameter_invalid', 'cursor', '200'],
    ['too long a query', `ticker=${'a'.repeat(9_000)}`, 'parameter_invalid', 'query', '8,192'],
  ] as const) {
    test(name, () => {
      const [gotCode, gotParam, message] = fault(readFundamentals, text)
      expect([gotCode, gotParam]).toEqual([code, param])
      expect(message).toContain(hint)
      expect(message.length).toBeLessThan(400)
    })
  }

  test('a parameter that has to be there', () => {
    expect(fault(readSearch, '').slice(0, 2)).toEqual(['parameter_invalid', 'q'])
  })
})

test('numbers and booleans are read strictly', () => {
  const read = queryReader(
    Type.Object({ share: Type.Optional(Type.Number({ maximum: 1 })), on: Type.Optional(Type.Boolean()) }),
  )
  expect(read('share=0.25&on=true')).toEqual({ share: 0.25, on: true })
  for (const text of ['share=.5', 'share=1e3', 'share=Infinity', 'share=2', 'on=1', 'on=TRUE']) {
    expect(fault(read, text)[0]).toBe('parameter_invalid')
  }
})

test('a value in the path is read by the same rules, a plus sign being itself there', () => {
  const read = pathReader('id', Type.String({ minLength: 1, maxLength: 8 }))
  expect(read('A%2FB+C')).toBe('A/B+C')
  for (const text of ['', '%00', '%ff', '123456789']) expect(() => read(text)).toThrow('id')
})

test('a pattern without words for people is refused when the reader is made', () => {
  const schema = (more: object) => Type.Object({ code: Type.String({ pattern: '^[a-z]{3}$', ...more }) })
  expect(() => queryReader(schema({}))).toThrow('has no words')
  expect(fault(queryReader(schema({ allowed: 'three letters' })), 'code=1')).toEqual([
    'parameter_invalid',
    'code',
    'code=1 is not allowed: send three letters.',
  ])
})
