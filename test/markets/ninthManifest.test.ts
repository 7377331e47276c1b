import { afterAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { marketArgument, oneOfMarkets } from '../../src/features/agentTools/fields.ts'
import { listMarketCodes } from '../../src/markets/codes.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import { nonEmpty } from '../nonEmpty.ts'

const shipped = resolve(import.meta.dir, '../../manifests')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-manifests-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a ninth manifest is a market everywhere: its file is all that is added', async () => {
  cpSync(shipped, folder, { recursive: true })
  const manifest = readFileSync(join(folder, 'nz.yaml'), 'utf8').replace(/^code: NZ$/m, 'code: XX')
  writeFileSync(join(folder, 'xx.yaml'), manifest)
  const before = await loadMarkets()
  const after = await loadMarkets(folder)
  expect(after.codes).toEqual([...before.codes, 'XX'])
  expect(after.get('XX')?.status).toBe('served')
  for (const [name, { markets }] of nonEmpty([...before.metrics])) {
    const added = markets.includes('NZ') ? ['XX'] : []
    expect([name, after.metrics.get(name)?.markets]).toEqual([name, [...markets, ...added]])
  }
  expect(after.costs.plain.markets.XX).toEqual(before.costs.plain.markets.NZ)
  expect(listMarketCodes(folder)).toEqual(after.codes)
  expect(oneOfMarkets(listMarketCodes(folder))).toMatch(/ or XX\.$/)
})

test('the tools name every shipped market', () => {
  const files = readdirSync(shipped).filter(name => /^[a-z]{2}\.yaml$/.test(name))
  for (const file of nonEmpty(files))
    expect(marketArgument.description).toContain(file.replace('.yaml', '').toUpperCase())
})
