import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { FundamentalsRow } from '../../../src/features/fundamentals/schema.ts'
import { openZip, readEntry } from '../../../src/ingest/reading/archives.ts'
import { jpRegister } from '../../../src/ingest/registers/jp/register.ts'
import { krRegister } from '../../../src/ingest/registers/kr/register.ts'
import { twRegister } from '../../../src/ingest/registers/tw/register.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sharedPath } from '../../shared.ts'
import { readRawLabels } from '../statements/rawInstance.ts'
import { registerServers } from '../statements/registerServer.ts'

/* fields=statement,line,label of companies outside the United States, against the text of their files. */

setDefaultTimeout(120_000)

const registers = sharedPath('registers')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-lines-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)
const serve = registerServers()

const all = 'fields=accession,tag,start,statement,line,label'
const placedOf = (data: readonly FundamentalsRow[]) =>
  data.filter(({ statement }) => typeof statement === 'string')

interface KoreanLine {
  readonly rcept_no: string
  readonly sj_div: string
  readonly account_id: string
  readonly account_nm: string
  readonly ord: string
}

describe.skipIf(registers === null)('a mapped figure is on the line of its own filing', () => {
  test('Korea: Samsung Electronics', async () => {
    const path = `${registers}/kr/fnlttSinglAcntAll/005930.jsonl.gz`
    const text = new TextDecoder().decode(gunzipSync(await Bun.file(path).bytes()))
    const lines: KoreanLine[] = text
      .trim()
      .split('\n')
      .flatMap(row => JSON.parse(row).list ?? [])
    const { ask } = await serve(krRegister, [`${registers}/kr/corpCode.zip`, path])
    const { data } = await ask<{ data: FundamentalsRow[] }>(`fundamentals?ticker=005930.KS&${all}`)
    const placed = placedOf(data)
    expect(placed.length).toBeGreaterThan(10)
    const kinds: Record<string, string> = {
      BS: 'balance',
      IS: 'income',
      CIS: 'comprehensive',
      CF: 'cash_flow',
      SCE: 'equity',
    }
    for (const { accession, statement, label, tag, v, m } of placed) {
      const stated = lines.filter(
        line =>
          accession === `KR:${line.rcept_no}` &&
          kinds[line.sj_div] === statement &&
          line.account_id === tag &&
          line.account_nm === label,
      )
      const amounts = stated
        .flatMap(line => Object.entries(line).filter(([name]) => name.endsWith('_amount')))
        .map(([, amount]) => Number(amount))
      expect([m, tag, label, amounts.includes(v)]).toEqual([m, tag, label, true])
    }
    for (const own of Map.groupBy(placed, row => `${row.accession} ${row.statement}`).values()) {
      const orders = own
        .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
        .map(row =>
          Number(
            lines.find(
              each =>
                `KR:${each.rcept_no}` === row.accession &&
                each.account_id === row.tag &&
                each.account_nm === row.label &&
                kinds[each.sj_div] === row.statement,
            )?.ord,
          ),
        )
      expect(orders).toEqual(orders.toSorted((a, b) => a - b))
    }
  })

  test('Japan: Toyota, from its own documents', async () => {
    const path = `${registers}/jp/type1_xbrl/S100VWVY_toyota_FY2025.zip`
    const zip = await openZip(path)
    let labels = new Map<string, string>()
    for await (const entry of zip.eachEntry())
      if (/_lab\.xml$/.test(entry.fileName))
        labels = readRawLabels(new TextDecoder().decode(await readEntry(zip, entry)))
    zip.close()
    const { ask } = await serve(jpRegister, [path])
    const { data } = await ask<{ data: FundamentalsRow[] }>(`fundamentals?ticker=E02144&${all}`)
    const placed = placedOf(data)
    const ownLabels = [...labels].filter(([key]) => key.endsWith('/role/label') || key.endsWith('Label'))
    for (const { tag, label, m } of placed) {
      const stated = ownLabels.filter(([key]) => key.startsWith(`${tag} `)).map(([, text]) => text)
      // Labels of the standard taxonomy are not in the zip.
      if (stated.length > 0 && label !== null)
        expect([m, tag, stated]).toEqual([m, tag, expect.arrayContaining([label])])
    }
    // 0105010, lines 357 and 359: total assets of the group, 93,601,350 million yen.
    const assets = placed.find(({ m, v }) => m === 'assets' && v === 93_601_350_000_000)
    expect(assets).toMatchObject({
      statement: 'balance',
      tag: 'jpigp_cor:AssetsIFRS',
      line: expect.any(Number),
    })
    expect(placed.length).toBeGreaterThan(5)
  })
})

test('Taiwan: a cell that the register edited is on the line of the content that its vintage was in', async () => {
  const text = await Bun.file(
    new URL('../../ingest/registers/tw/fixtures/t187ap06_L_ci.json', import.meta.url),
  ).text()
  expect(text).toContain('"營業收入": "71289957.00"')
  // Made up: the register corrects the revenue of 1101, which only the later vintage states.
  const edited = text
    .replaceAll('"1150817"', '"1151001"')
    .replace('"營業收入": "71289957.00"', '"營業收入": "71289958.00"')
  const pulls = []
  for (const [observedOn, content] of [
    ['2026-09-01', text],
    ['2026-10-01', edited],
  ] as const) {
    const path = join(folder, `${observedOn}/t187ap06_L_ci.json`)
    await Bun.write(path, content)
    pulls.push({ paths: [path], observedOn })
  }
  for (const order of [pulls, pulls.toReversed()]) {
    const { ask } = await serve(twRegister, order, '2026-12-01')
    const { data } = await ask<{ data: FundamentalsRow[] }>(
      `fundamentals?ticker=1101.TW&metric=revenue_ytd&view=history&${all}`,
    )
    expect(nonEmpty(data).map(({ v, statement, line, label }) => [v, statement, line, label])).toEqual([
      [71_289_957_000, 'income', 1, '營業收入'],
      [71_289_958_000, 'income', 1, '營業收入'],
    ])
  }
})
