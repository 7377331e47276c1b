import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { readConfig } from '../../../src/config.ts'
import { registers, sources } from '../../../src/ingest/allRegisters.ts'
import type { Plan, RegisterRequest, StepResult } from '../../../src/ingest/network/source.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { secrets } from './replay.ts'

const markets = await loadMarkets()
const defaults = readConfig({}).registers
const example = await Bun.file(resolve(import.meta.dir, '../../../.env.example')).text()

test('every market and every importer has a source', () => {
  expect([...sources.keys()].sort()).toEqual([...markets.codes].sort())
  for (const market of nonEmpty(registers.keys())) expect(sources.has(market)).toBe(true)
})

describe.each(nonEmpty(sources.values()))('$name', source => {
  const sync = markets.get(source.market)?.sync

  test('has a default address that starts with the one in its manifest', () => {
    const addresses = Object.entries(defaults).filter(([name]) => name.endsWith('_URL'))
    expect(addresses.some(([, address]) => sync?.address.startsWith(address))).toBe(true)
  })

  test('names settings that exist without a default, and a contact if its manifest requires one', () => {
    for (const name of [...source.requiredSettings, ...source.secretSettings]) {
      expect([name, defaults[name]]).toEqual([name, ''])
      expect(example).toContain(`\n${name}=\n`)
    }
    expect(source.contactSetting !== null).toBe(sync?.user_agent === 'contact')
  })

  test('ends its plan even if every response is missing, cached or failed', () => {
    const results: StepResult[] = [{ kind: 'cached' }, { kind: 'missing' }, { kind: 'failed' }]
    for (const result of results) {
      const { length } = requestsOf(source.market, source.plan(task({})), result)
      expect(length).toBeGreaterThan(0)
      expect(length).toBeLessThan(500)
    }
  })

  test('has no credentials in the url, key, revision and file name', () => {
    for (const request of nonEmpty(requestsOf(source.market, source.plan(task({})), { kind: 'cached' }))) {
      const shown = [request.url, request.key, request.revision, request.fileName].join(' ')
      for (const secret of Object.values(secrets)) expect(shown).not.toContain(secret)
    }
  })

  function task(cursors: Record<string, string>) {
    return {
      settings: { ...defaults, ...secrets, SEC_CONTACT: 'Test Firm test@firm.example' },
      since: source.companies === 'needed' ? null : '2026-10-01',
      today: '2026-11-21',
      companies: source.companies === 'needed' ? [markets.get(source.market)?.issuer.example ?? ''] : [],
      cursor: (name: string) => cursors[name] ?? null,
      newId: () => crypto.randomUUID(),
    }
  }
})

/** The requests of a plan if every request has the same result. A plan that asks for companies gets one, once. */
function requestsOf(market: string, plan: Plan, result: StepResult): RegisterRequest[] {
  const requests: RegisterRequest[] = []
  const companies = [markets.get(market)?.issuer.example ?? '']
  for (let step = plan.next(result); !step.done; ) {
    if (step.value.do === 'send') requests.push(step.value.request)
    const isForCompanies = step.value.do === 'next companies'
    step = plan.next(isForCompanies ? { kind: 'companies', numbers: companies.splice(0) } : result)
  }
  return requests
}
