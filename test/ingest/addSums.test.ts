import { expect, test } from 'bun:test'
import { addSums, type BrokenSum, noSums, type SumName, sumNames } from '../../src/facts/balanceChecks.ts'

const broken = (sum: SumName, accession: string): BrokenSum => ({
  ...{ sum, accession, market: 'DK', issuerId: '1', start: null, end: '2014-12-31' },
  ...{ difference: 1, unit: 'DKK' },
})

test('counts add up, and of each sum the examples of the first import that has any are kept', () => {
  const all = noSums()
  const [balance, gross] = sumNames
  const first = noSums()
  first.counts[balance] = { checked: 3, broken: 1, open: 1 }
  first.examples.push(broken(balance, 'a'))
  const second = noSums()
  second.counts[balance] = { checked: 2, broken: 1, open: 0 }
  second.counts[gross] = { checked: 5, broken: 1, open: 0 }
  second.examples.push(broken(balance, 'b'), broken(gross, 'c'))
  addSums(all, first)
  addSums(all, second)
  expect(all.counts).toEqual({
    [balance]: { checked: 5, broken: 2, open: 1 },
    [gross]: { checked: 5, broken: 1, open: 0 },
  })
  expect(all.examples.map(({ accession }) => accession)).toEqual(['a', 'c'])
})
