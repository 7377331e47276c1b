import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openZip } from '../../../../src/ingest/reading/archives.ts'
import type { ReadUnit } from '../../../../src/ingest/reading/progress.ts'
import { readDataSet } from '../../../../src/ingest/registers/us/dataSets.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { sharedPath } from '../../../shared.ts'
import { zipped } from '../../../zipped.ts'

const folder = mkdtempSync(join(tmpdir(), 'asfiled-sets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function read(path: string, bytesPerPass: number) {
  const zip = await openZip(path)
  const entries = await Array.fromAsync(zip.eachEntry())
  const skipped: string[] = []
  const leftOut: Record<string, number> = {}
  let figures = 0
  const progress = {
    isKnown: () => false,
    figures: (more: number) => {
      figures += more
    },
    unplaced: () => {},
    content: (_: string, content: { readonly leftOut?: Readonly<Record<string, number>> }) => {
      Object.assign(leftOut, content.leftOut)
    },
    skip: (name: string, reason: string) => skipped.push(`${name.split('!')[1]} ${reason}`),
    progress: () => {},
  }
  const units: ReadUnit[] = []
  for await (const unit of readDataSet({ path, bytes: 0, zip, entries }, progress, bytesPerPass) ?? [])
    units.push(unit)
  zip.close()
  return { units, skipped: skipped.sort(), leftOut, figures }
}

const textOf = (value: unknown) => JSON.stringify(value, (_, one) => (one instanceof Map ? [...one] : one))

function contentOf(units: readonly ReadUnit[]) {
  const wholes = units.flatMap(({ wholeFilings = [] }) => wholeFilings.map(textOf))
  const facts = units.flatMap(({ parsed }) =>
    parsed.flatMap(({ profile, reportedFacts }) =>
      reportedFacts.map(fact => textOf([profile.issuerId, fact])),
    ),
  )
  const receipts = units.flatMap(({ receipt }) => receipt ?? [])
  return { wholes: wholes.sort(), facts: facts.sort(), receipts }
}

const set = sharedPath('registers/us/fsds/2009q3.zip')
test.skipIf(set === null)(
  'several passes give what one pass gives, and each filing at once',
  async () => {
    const once = await read(set ?? '', 100_000_000)
    const often = await read(set ?? '', 2_500_000)
    expect([once.skipped, once.figures, often.figures]).toEqual([[], 126_650, 126_650])
    expect(nonEmpty(contentOf(once.units).wholes).length).toBeGreaterThan(400)
    expect(contentOf(often.units)).toEqual(contentOf(once.units))
  },
  120_000,
)

const sub = ['adsh\tcik\tname\tform\tperiod\tfiled\taccepted']
const filings = [
  '0000000001-20-000001',
  '0000000002-20-000001',
  '0000000003-20-000001',
  '0000000004-20-000001',
]
for (const [at, adsh] of filings.entries())
  sub.push(`${adsh}\t${at + 1}\tCOMPANY ${at + 1}\t10-K\t20191231\t20200201\t2020-02-01 10:00:00.0`)
const figure = (adsh: string, value: string) => `${adsh}\tAssets\tus-gaap/2019\t20191231\t0\tUSD\t${value}`
const num = [
  'adsh\ttag\tversion\tddate\tqtrs\tuom\tvalue',
  ...filings.map(adsh => figure(adsh, '5.0000')),
  figure(filings[0], 'five'),
  figure('0000000009-20-000001', '6.0000'),
]
const pre = [
  'adsh\treport\tline\tstmt\tinpth\ttag\tversion\tplabel\tnegating',
  ...filings.map(adsh => `${adsh}\t2\t1\tBS\t0\tAssets\tus-gaap/2019\tTotal assets\t0`),
  `${filings[1]}\t2\tone\tBS\t0\tAssets\tus-gaap/2019\tTotal assets\t0`,
]

const writeSet = async (name: string, parts: Record<string, readonly string[]>) => {
  const path = join(folder, name)
  const entries = Object.entries(parts).map(([part, lines]) => ({
    name: `${part}.txt`,
    content: Buffer.from(`${lines.join('\n')}\n`),
  }))
  await Bun.write(path, zipped(entries))
  return path
}

test.each([1e9, 150])(
  'faults are named once with their lines; their filings are not stored (%d bytes a pass)',
  async bytes => {
    const { units, skipped, leftOut, figures } = await read(
      await writeSet('faults.zip', { sub, num, pre }),
      bytes,
    )
    expect(skipped).toEqual([
      'num.txt line 6: A figure must have a known `adsh`, and `ddate`, `qtrs` and `value`.',
      'num.txt line 7: The line has an `adsh` that `sub.txt` does not have.',
      'pre.txt line 6: A presented line must have whole numbers in `report` and `line`.',
    ])
    expect(figures).toBe(6)
    expect(leftOut).toEqual({ 'filing whose statements have lines with faults': 2 })
    const wholes = units.flatMap(({ wholeFilings = [] }) => wholeFilings)
    expect(wholes.map(({ whole }) => whole.accession).sort()).toEqual(filings.slice(2))
    // Mapped figures of the other lines count, as before, and the set is read again by the next import.
    expect(units.flatMap(({ parsed }) => parsed.flatMap(one => one.reportedFacts))).toHaveLength(4)
    expect(units.some(({ receipt }) => receipt !== undefined)).toBe(false)
  },
)

test('another pre.txt makes another content key', async () => {
  const good = { sub, num: num.slice(0, 5) }
  const keys: unknown[] = []
  for (const lines of [null, pre.slice(0, 5), pre.slice(0, 4)]) {
    const path = await writeSet('keys.zip', lines === null ? good : { ...good, pre: lines })
    const { units } = await read(path, 1e9)
    keys.push(units.at(-1)?.receipt?.contentKey)
  }
  expect(new Set(nonEmpty(keys.filter(key => key !== undefined))).size).toBe(3)
})
