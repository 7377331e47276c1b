import { expect, test } from 'bun:test'
import { Failure } from '../../src/errors.ts'
import { type Licence, licences } from '../../src/rights/licences.ts'
import type { RecentYearOnly } from '../../src/rights/openHistory.ts'
import { Rights, rightsFor } from '../../src/rights/rights.ts'

const rightsOf = rightsFor({ flagshipTickers: ['AAPL', 'googl'] })
const of = (licence: Licence, more: { readonly quant?: boolean; readonly bulk?: boolean } = {}) =>
  rightsOf({ keyId: 1, licence, quant: false, entityCap: null, bulk: false, ...more })

const apple = { ticker: 'AAPL', preferred: 'AAPL', sentId: null }
/** Found under an ID that is not flagship, while the preferred one of its company is. */
const alphabet = { ticker: 'GOOG', preferred: 'GOOGL', sentId: null }
const snowflake = { ticker: 'SNOW', preferred: 'SNOW', sentId: '0001640147' }

/** The licences that the Free Licence of the price list names. */
const free: readonly Licence[] = ['demo', 'free']

function refusalOf(work: () => void): Failure | null {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  return null
}
const paramOf = (work: () => void): unknown => refusalOf(work)?.details.param ?? null

for (const licence of licences) {
  const isFree = free.includes(licence)
  const rights = of(licence)

  test(`${licence} sees ${isFree ? 'flagship companies in full and the recent year of the others' : 'everything'}`, () => {
    for (const company of [apple, alphabet]) {
      expect<boolean>(rights.recentYearOnly(company)).toBe(false)
      rights.requirePastOf(company, 'as_of')
    }
    expect<boolean>(rights.recentYearOnly(snowflake)).toBe(isFree)
    expect<boolean>(rights.recentYearOnlyOfMarkets).toBe(isFree)
    for (const param of ['as_of', 'data_version'] as const) {
      const refused = isFree ? param : null
      expect(paramOf(() => rights.requirePastOf(snowflake, param))).toBe(refused)
      expect(paramOf(() => rights.requirePastOfMarket(param))).toBe(refused)
    }
    expect(paramOf(() => rights.requirePastOf(snowflake, null))).toBeNull()
  })

  test(`${licence} ${isFree ? 'pins and joins' : 'pins and joins more than'} flagship companies`, () => {
    const pin = (version: number | undefined, ids: readonly string[] | null) =>
      paramOf(() => rights.requireVersion(version, 'this', ids))
    expect(pin(7, ['aapl', 'GOOGL'])).toBeNull()
    expect(pin(undefined, null)).toBeNull()
    // One company that is closed closes the list.
    for (const ids of [['AAPL', 'SNOW'], ['SNOW'], null])
      expect([ids, pin(7, ids)]).toEqual([ids, isFree ? 'data_version' : null])
    expect(paramOf(() => rights.requireJoin([apple, alphabet]))).toBeNull()
    expect(paramOf(() => rights.requireJoin([]))).toBeNull()
    expect(paramOf(() => rights.requireJoin([apple, snowflake]))).toBe(isFree ? 'rows' : null)
  })

  test(`${licence} has signals at once with the quant plan alone, and bulk files with the right alone`, () => {
    expect([rights.signalDelayDays, rights.lastSignalDay('2026-07-01')]).toEqual([90, '2026-04-02'])
    const quant = of(licence, { quant: true })
    expect([quant.signalDelayDays, quant.lastSignalDay('2026-07-01')]).toEqual([0, null])
    expect(paramOf(() => quant.requireBulk('Bulk files'))).toBe('Authorization')
    expect(paramOf(() => of(licence, { bulk: true }).requireBulk('Bulk files'))).toBeNull()
  })
}

test('a refusal names the licence, what would be enough, and what is open', () => {
  const message = (work: () => void) => refusalOf(work)?.message ?? ''
  const join = message(() => of('free').requireJoin([snowflake]))
  expect(join).toContain('An as-of join with 0001640147 requires an evaluation key')
  expect(join).toContain('The free licence allows it only for AAPL, GOOGL.')
  const none = rightsFor({ flagshipTickers: [] })
  const demo = none({ keyId: null, licence: 'demo', quant: false, entityCap: null, bulk: false })
  expect(message(() => demo.requirePastOf(apple, 'as_of'))).toContain('only for no company')
  expect(message(() => of('oem').requireBulk('Bulk files'))).toContain('where its order form says so')
})

test('a plan gets the years that it may show from rights alone', () => {
  // @ts-expect-error: a door cannot decide this by itself.
  const decided: RecentYearOnly = false
  expect(
    new Rights({ keyId: 1, licence: 'oem', quant: false, entityCap: null, bulk: false }).recentYearOnly(
      snowflake,
    ),
  ).toBe(decided)
})
