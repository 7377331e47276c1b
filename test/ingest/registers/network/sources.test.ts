import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { readConfig } from '../../../../src/config.ts'
import type { Answer, Plan, RegisterRequest } from '../../../../src/ingest/network/source.ts'
import { registers, sources } from '../../../../src/ingest/registers/registers.ts'
import { loadMarkets } from '../../../../src/markets/markets.ts'
import { secrets } from './replay.ts'

const markets = await loadMarkets()
const defaults = readConfig({}).registers
const example = await Bun.file(resolve(import.meta.dir, '../../../../.env.example')).text()

test('every market has a source, and every importer one', () => {
  expect([...sources.keys()].sort()).toEqual([...markets.codes].sort())
  for (const market of registers.keys()) expect(sources.has(market)).toBe(true)
})

describe.each([...sources.values()])('$name', source => {
  const sync = markets.get(source.market)?.sync

  test('is asked at the address that its manifest names, unless a setting says otherwise', () => {
    const addresses = Object.entries(defaults).filter(([name]) => name.endsWith('_URL'))
    expect(addresses.some(([, address]) => sync?.address.startsWith(address))).toBe(true)
  })

  test('names settings that exist and are empty at first, and says who asks where its manifest says so', () => {
    for (const name of [...source.required, ...source.secret]) {
      expect([name, defaults[name]]).toEqual([name, ''])
      expect(example).toContain(`\n${name}=\n`)
    }
    expect(source.contact !== null).toBe(sync?.user_agent === 'contact')
  })

  test('ends, however little the register answers', () => {
    const kinds: Answer[] = [{ kind: 'had' }, { kind: 'missing' }, { kind: 'failed' }]
    for (const answer of kinds) expect(askedOf(source.plan(task({})), answer).length).toBeLessThan(500)
  })

  test('has no credential in what is named, kept or recorded', () => {
    for (const request of askedOf(source.plan(task({})), { kind: 'had' })) {
      const shown = [request.url, request.key, request.revision, request.fileName].join(' ')
      for (const secret of Object.values(secrets)) expect(shown).not.toContain(secret)
    }
  })

  function task(places: Record<string, string>) {
    return {
      settings: { ...defaults, ...secrets, SEC_CONTACT: 'Test Firm test@firm.example' },
      since: source.companies === 'needed' ? null : '2026-10-01',
      today: '2026-11-21',
      companies: source.companies === 'needed' ? [markets.get(source.market)?.issuer.example ?? ''] : [],
      cursor: (name: string) => places[name] ?? null,
      newId: () => crypto.randomUUID(),
    }
  }
})

/** The requests of a plan whose every answer is the same. */
function askedOf(plan: Plan, answer: Answer): RegisterRequest[] {
  const asked: RegisterRequest[] = []
  for (let step = plan.next(answer); !step.done; step = plan.next(answer)) {
    if (step.value.do === 'ask') asked.push(step.value.request)
  }
  return asked
}
