import { expect, test } from 'bun:test'
import type { Principal } from '../../src/access/licences.ts'
import { PlanCache } from '../../src/http/planCache.ts'

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
