import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sharedPath } from '../shared.ts'

setDefaultTimeout(60_000)

const root = resolve(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-sample-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the shipped sample stays under 3 MB', () => {
  const bytes = readdirSync(join(root, 'sample')).map(name => statSync(join(root, 'sample', name)).size)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_000_000)
})

test('the documented command makes the shipped sample from the real files, the same bytes every time', async () => {
  const files = ['companyfacts', 'submissions/CIK0000320193.json', 'company_tickers.json'].map(name =>
    sharedPath(`registers/us/${name}`),
  )
  if (files.some(file => file === null)) return
  const made: { text: string; bytes: Uint8Array; entities: string }[] = []
  for (const run of ['first', 'second']) {
    const to = join(folder, run)
    const child = Bun.spawn(
      ['bun', 'src/cli.ts', 'data', 'sample', '--us', ...files.filter(file => file !== null), '--to', to],
      { cwd: root, stdout: 'ignore', stderr: 'inherit' },
    )
    expect(await child.exited).toBe(0)
    const bytes = await Bun.file(join(to, 'fundamentals.csv.gz')).bytes()
    const text = new TextDecoder().decode(Bun.gunzipSync(bytes))
    made.push({ bytes, text, entities: await Bun.file(join(to, 'entities.csv')).text() })
  }
  expect(made[1].bytes).toEqual(made[0].bytes)
  const shipped = await Bun.file(join(root, 'sample/fundamentals.csv.gz')).bytes()
  expect(made[0].text === new TextDecoder().decode(Bun.gunzipSync(shipped))).toBe(true)
  expect(made[0].entities).toBe(await Bun.file(join(root, 'sample/entities.csv')).text())
})
