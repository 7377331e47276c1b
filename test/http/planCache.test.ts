import { expect, test } from 'bun:test'
import { PlanCache } from '../../src/http/planCache.ts'
import type { Principal } from '../../src/rights/licences.ts'

const holder = (more: Partial<Principal>): Principal => ({
  keyId: 1,
  licence: 'personal',
  quant: false,
  entityCap: null,
  bulk: false,
  ...more,
})
const plain = holder({})

test('a plan is found again by the same class of keys, on the same day, of the same data', () => {
  const plans = new PlanCache<string>()
  const store = () => {
    plans.find(plain, 'q', 7, '2026-11-20')
    plans.store(plain, 'q', 7, '2026-11-20', 'plan')
  }
  store()
  expect(plans.find(holder({ keyId: 2 }), 'q', 7, '2026-11-20')).toBe('plan')
  const others = [
    holder({ licence: 'commercial' }),
    holder({ quant: true }),
    holder({ bulk: true }),
    holder({ entityCap: 1_000 }),
  ]
  for (const other of others) expect(plans.find(other, 'q', 7, '2026-11-20')).toBeUndefined()
  expect(plans.find(plain, 'r', 7, '2026-11-20')).toBeUndefined()
  // A day later, a request without `as_of` means another day and shows the filings of that day.
  expect(plans.find(plain, 'q', 7, '2026-11-21')).toBeUndefined()
  store()
  expect(plans.find(plain, 'q', 8, '2026-11-20')).toBeUndefined()
})

test('a plan that took past midnight, or past an import, is not cached', () => {
  const plans = new PlanCache<string>()
  plans.find(plain, 'q', 7, '2026-11-21')
  plans.store(plain, 'q', 7, '2026-11-20', 'of yesterday')
  plans.store(plain, 'q', 6, '2026-11-21', 'of the data before')
  expect(plans.find(plain, 'q', 7, '2026-11-21')).toBeUndefined()
})

test('the cache is bounded: the plan used longest ago goes first', () => {
  const plans = new PlanCache<string>()
  const find = (query: string) => plans.find(plain, query, 7, '2026-11-20')
  const store = (query: string) => plans.store(plain, query, 7, '2026-11-20', query)
  find('')
  for (let plan = 0; plan < 20_000; plan++) store(`${plan}`)
  expect(find('0')).toBe('0')
  store('one more')
  expect([find('0'), find('1'), find('2')]).toEqual(['0', undefined, '2'])
})
