import { expect, setDefaultTimeout, test } from 'bun:test'
import { isoDate } from '../../../../src/dates.ts'
import type { ParsedDocument } from '../../../../src/facts/reportedFact.ts'
import { listFiles } from '../../../../src/ingest/import/listFiles.ts'
import { mergeParsedDocuments } from '../../../../src/ingest/import/mergeDocuments.ts'
import { readUnits } from '../../../../src/ingest/import/readFiles.ts'
import { newReadProgress } from '../../../../src/ingest/reading/progress.ts'
import { krRegister } from '../../../../src/ingest/registers/kr/register.ts'
import { sharedPath } from '../../../shared.ts'

setDefaultTimeout(180_000)

const folder = sharedPath('registers/kr')

let reading: ReturnType<typeof readAll> | undefined

/** Every real file, read once for both tests. */
function everyFile() {
  reading ??= readAll()
  return reading
}

async function readAll() {
  const progress = newReadProgress()
  const files = await listFiles([`${folder}`], krRegister.documentNames)
  const documents: ParsedDocument[] = []
  for await (const { parsed } of readUnits(krRegister, files, new Set(), progress)) documents.push(...parsed)
  return { files, progress, documents }
}

test.skipIf(folder === null)('every real figure is imported or left out for a reason', async () => {
  const { files, progress, documents } = await everyFile()
  const imported = new Set<string>()
  let companies = 0
  for (const { reportedFacts } of documents) {
    if (reportedFacts.length === 0) companies++
    for (const { tag, start, end, filing } of reportedFacts)
      imported.add(`${filing.accession} ${tag} ${start} ${end}`)
  }
  expect(progress.skipped).toEqual([])
  expect(progress.malformed).toBe(0)
  expect(progress.documents).toBe(files.length)
  // 117,284 companies, as the register's README counts them.
  const unlisted = progress.leftOut.get('a company without a stock code') ?? 0
  expect([companies, unlisted, companies + unlisted]).toEqual([3_961, 113_323, 117_284])
  const figures = [...progress.leftOut].filter(([reason]) => !reason.startsWith('a company'))
  expect(imported.size + figures.reduce((sum, [, count]) => sum + count, 0)).toBe(progress.figuresRead)
  expect(figures.map(([reason]) => reason).sort()).toEqual([
    'a column whose period is not certain',
    'a line of changes in equity (SCE)',
    'a line of comprehensive income that is also in the income statement',
    'a line that is stated twice with different values',
    'a line without a metric',
    'a second column of one period',
  ])
})

test.skipIf(folder === null)('the sums of real balance sheets hold', async () => {
  const contributions = mergeParsedDocuments((await everyFile()).documents)
  let sheets = 0
  const uneven: string[] = []
  for (const { reportedFacts } of contributions) {
    const sides = Map.groupBy(
      reportedFacts.filter(one => ['assets', 'liabilities', 'equity'].includes(one.metric)),
      one => `${one.filing.accession} ${one.tag.startsWith('OFS:') ? 'OFS' : 'CFS'} ${isoDate(one.end)}`,
    )
    for (const [key, side] of sides) {
      const [assets, liabilities, equity] = ['assets', 'liabilities', 'equity'].map(
        metric => side.find(one => one.metric === metric)?.value ?? Number.NaN,
      )
      sheets++
      // Filers round each line by itself, in millions.
      if (!(Math.abs(assets - liabilities - equity) <= 2_000_000)) uneven.push(key)
    }
  }
  expect(sheets).toBeGreaterThan(1_700)
  // SK Telecom's prior-year column is off by 30 million won as filed; nothing is dropped.
  expect(uneven).toEqual(['KR:20250317000684 CFS 2022-12-31'])
})
