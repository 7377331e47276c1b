import { expect, test } from 'bun:test'
import { Failure } from '../../../src/errors.ts'
import { inFormWords, settingsOf } from '../../../src/features/backtestPage/runForm.ts'
import { frenchText } from '../../backtest/factors/anyRegression.ts'

const withFactors = (text: string) => settingsOf({ typed: {}, texts: new Map([['factors', text]]) })

test('a file of factors on the page becomes the factors of its request', () => {
  const { factors } = withFactors(frenchText)
  expect(factors?.unit).toBe('percent')
  expect(factors?.date?.[0]).toBe('1926-07')
  expect(factors?.returns?.['Mkt-RF']?.[0]).toBe(2.89)
  expect(factors?.rf?.[0]).toBe(0.22)
  expect(settingsOf({ typed: {}, texts: new Map() })).not.toHaveProperty('factors')
})

test('a file of factors that cannot be read is named at its field', () => {
  let failure: unknown
  try {
    withFactors('date,F\n1926-07,x\n')
  } catch (error) {
    failure = error
  }
  if (!(failure instanceof Failure)) throw new Error('the file was read')
  expect(inFormWords(failure)).toEqual({
    text: 'The file of factors: line 2: "x" is not a number.',
    field: 'factors',
  })
})
