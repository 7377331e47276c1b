import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Audit } from '../../src/features/audits/schema.ts'
import { importFacts } from '../../src/ingest/import/importFacts.ts'
import { readAmericanReport } from '../../src/ingest/registers/us/readDocument.ts'
import { usRegister } from '../../src/ingest/registers/us/register.ts'
import { importSymbols } from '../../src/ingest/symbols/importSymbols.ts'
import { readDataVersion } from '../../src/postgres/dataVersion.ts'
import { sellKey } from '../http/callers.ts'
import { type RealServer, realServer } from '../http/realServer.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { sharedPath } from '../shared.ts'
import { blocksOf } from './blocks.ts'

/** Runs the examples of the guide to audits and compares their tables, which examples.test.ts does not. */

setDefaultTimeout(180_000)

const document = 'docs/audits.md'
const submissions = sharedPath('registers/us/submissions/CIK0000320193.json')

let server: RealServer
let key: string
beforeAll(async () => {
  server = await realServer()
  key = await sellKey(server.sql, { quant: true })
  if (submissions !== null) await importReleases(submissions)
})
afterAll(() => server.stop())

/** Apple's real list of submissions, with the Forms 8-K that have an Item 2.02. */
async function importReleases(path: string): Promise<void> {
  const unit = readAmericanReport({ name: 'CIK0000320193.json', bytes: await Bun.file(path).bytes() })
  const { rules, settleTimes = null } = usRegister
  await importFacts(server.sql, [unit], { source: 'us', rules, settleTimes })
  await untilServed()
}

async function untilServed(): Promise<void> {
  const dataVersion = await readDataVersion(server.sql)
  for (let tries = 0; tries < 200; tries++) {
    if ((await audit({ ticker: ['AAPL'], revenue: [1], date: ['2010-01-04'] })).data_version === dataVersion)
      return
    await Bun.sleep(25)
  }
  throw new Error(`Data version ${dataVersion} is not served.`)
}

async function audit(rows: Record<string, readonly unknown[]>, more: object = {}): Promise<Audit> {
  const response = await fetch(`${server.url}/api/v1/audits`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ rows, ...more }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

async function shell(script: string): Promise<string> {
  const child = Bun.spawn(['sh', '-ec', script.replaceAll('http://localhost:3000', server.url)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const out = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return out
}

const examples = (await blocksOf(document)).filter(
  ({ language, shown }) => language === 'sh' && shown?.language === 'text',
)

describe('the guide to audits', () => {
  const runnable = examples.filter(({ text }) => submissions !== null || !text.includes('2025-10-30'))
  test.each(nonEmpty(runnable).map(example => [`${document}:${example.line}`, example] as const))(
    '%s prints the table that it shows',
    async (_, { text, shown }) => {
      // The lines of CSV end with CRLF.
      expect((await shell(text)).replaceAll('\r\n', '\n')).toBe(shown?.text ?? '')
    },
  )

  test.skipIf(submissions === null)(
    'what Apple released on 2025-10-30 was announced a day later, before the report was known',
    async () => {
      const date = ['2025-10-30', '2025-10-31', '2025-11-01']
      const { rows } = await audit({ date, ticker: date.map(() => 'AAPL'), revenue: date.map(() => 416161) })
      expect(rows).toMatchObject({ revenue_state: ['early', 'announced', 'known'] })
    },
  )

  test('earnings per share that are adjusted for the split of 2020 throughout are rounded', async () => {
    // 10-K filings of Apple, diluted: 9.22, 8.31, 9.21, 11.91 and 11.89, each divided by 4.
    const date = [2015, 2016, 2017, 2018, 2019].map(year => `${year}-12-31`)
    const ticker = date.map(() => 'AAPL')
    const eps = [2.31, 2.08, 2.3, 2.98, 2.97]
    for (const fp of ['FY', 'latest']) {
      const columns = { eps: { metric: 'eps_diluted', fp, splits: 'adjusted' } }
      const { rows } = await audit({ date, ticker, eps }, { columns })
      expect(rows).toMatchObject({ eps_state: date.map(() => 'rounded') })
    }
  })

  test("Google's revenue under Alphabet's symbol is another company's", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'asfiled-audits-'))
    try {
      const path = join(folder, 'symbols.csv')
      const spells = 'GOOG,CIK0001288776,2004-08-19,2015-10-02\nGOOG,CIK0001652044,2015-10-05,\n'
      writeFileSync(path, `symbol,id,from,to\n${spells}`)
      const lists = { paths: [path], today: '2026-07-01', replaces: false }
      await importSymbols(server.sql, lists, () => {})
      await untilServed()
    } finally {
      rmSync(folder, { recursive: true })
    }
    // 10-K of Google, 0001193125-10-030774 of 2010-02-12.
    const revenue = [23650563000, 23650563000]
    const { rows } = await audit({ date: ['2016-02-01', '2010-03-01'], ticker: ['GOOG', 'GOOG'], revenue })
    expect(rows).toMatchObject({ revenue_state: ['other_company', 'known'] })
  })
})
