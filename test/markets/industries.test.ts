import { expect, test } from 'bun:test'
import { codeRanges, groupOf, readGrouping } from '../../src/markets/industries.ts'

/* Read by hand from Kenneth French's file: the ranges around the first and last code of some industries. */
test('a code at either end of a range is in that one of the 49 industries of Kenneth French', () => {
  for (const [code, industry] of [
    ['0100', 'Agric'],
    ['0799', 'Agric'],
    ['0900', null],
    ['0920', 'Toys'],
    ['2046', 'Food'],
    ['2047', 'Hshld'],
    ['2048', 'Agric'],
    ['2064', 'Soda'],
    ['2080', 'Beer'],
    ['2086', 'Soda'],
    // Apple, IBM, Microsoft, Pfizer, Exxon Mobil, JPMorgan Chase, Duke Energy.
    ['3571', 'Hardw'],
    ['3570', 'Hardw'],
    ['7372', 'Softw'],
    ['2834', 'Drugs'],
    ['2911', 'Oil'],
    ['6021', 'Banks'],
    ['4911', 'Util'],
    ['6770', 'Fin'],
    ['6798', 'Fin'],
    ['4991', 'Other'],
    ['4992', null],
    ['9995', null],
  ] as const)
    expect([code, groupOf('ff49', `SIC ${code}`)]).toEqual([code, industry])
})

test('divisions and digits of the SIC; a code of another scheme has no group', () => {
  expect(groupOf('sicDivision', 'SIC 0999')).toBe('A')
  expect(groupOf('sicDivision', 'SIC 1799')).toBe('C')
  expect(groupOf('sicDivision', 'SIC 1800')).toBeNull()
  expect(groupOf('sicDivision', 'SIC 3571 Electronic Computers')).toBe('D')
  expect(groupOf('sicDivision', 'SIC 5199')).toBe('F')
  expect(groupOf('sicDivision', 'SIC 5200')).toBe('G')
  expect(groupOf('sic2', 'SIC 0115')).toBe('01')
  expect(groupOf('sic3', 'SIC 7372')).toBe('737')
  expect(groupOf('sic2', 'EDINET 7372')).toBeNull()
  expect(groupOf('ff49', null)).toBeNull()
})

test('a request may ask for some groups, whose codes are those of the definition', () => {
  expect(readGrouping('FF49')).toEqual({ scheme: 'ff49', codes: null })
  expect(codeRanges(readGrouping('ff49:soda'))).toEqual([
    { first: 2064, last: 2068 },
    { first: 2086, last: 2086 },
    { first: 2087, last: 2087 },
    { first: 2096, last: 2096 },
    { first: 2097, last: 2097 },
  ])
  expect(codeRanges(readGrouping('sic2:73'))).toEqual([{ first: 7300, last: 7399 }])
  for (const wrong of ['naics', 'ff49:Nosuch', 'sic2:7', 'sicDivision:Z', 'sic2:73:74'])
    expect(() => readGrouping(wrong)).toThrow('group=')
})
