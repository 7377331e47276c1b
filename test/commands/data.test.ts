import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sampleFiles } from '../sampleFiles.ts'

setDefaultTimeout(60_000)

const root = resolve(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-sample-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the shipped sample stays under 6 MB', () => {
  const bytes = readdirSync(join(root, 'sample')).map(name => statSync(join(root, 'sample', name)).size)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(6_000_000)
})

const files = sampleFiles(folder)

test.skipIf(files === null)(
  'the documented command rebuilds the shipped sample from the real files, the same bytes every time',
  async () => {
    const named = [...(files ?? [])].flatMap(([market, paths]) => [`--${market}`, ...paths])
    const made: { text: string; bytes: Uint8Array; entities: string; filings: Uint8Array }[] = []
    for (const run of ['first', 'second']) {
      const to = join(folder, run)
      const child = Bun.spawn(
        [
          'bun',
          'src/cli.ts',
          'data',
          'sample',
          '--companies',
          'sample/companies.txt',
          '--filings',
          'sample/filings.txt',
          ...named,
          '--to',
          to,
        ],
        { cwd: root, stdout: 'ignore', stderr: 'inherit' },
      )
      expect(await child.exited).toBe(0)
      const bytes = await Bun.file(join(to, 'fundamentals.csv.gz')).bytes()
      const text = new TextDecoder().decode(Bun.gunzipSync(bytes))
      const filings = await Bun.file(join(to, 'filings.jsonl.gz')).bytes()
      made.push({ bytes, text, entities: await Bun.file(join(to, 'entities.csv')).text(), filings })
    }
    expect(made[1].bytes).toEqual(made[0].bytes)
    const shipped = await Bun.file(join(root, 'sample/fundamentals.csv.gz')).bytes()
    expect(made[0].text === new TextDecoder().decode(Bun.gunzipSync(shipped))).toBe(true)
    expect(made[1].filings).toEqual(made[0].filings)
    expect(made[0].filings).toEqual(await Bun.file(join(root, 'sample/filings.jsonl.gz')).bytes())
    expect(made[0].entities).toBe(await Bun.file(join(root, 'sample/entities.csv')).text())
  },
)

async function refusal(companies: string): Promise<string> {
  const list = join(folder, 'companies.txt')
  await Bun.write(list, companies)
  const accounts = 'test/ingest/registers/fr/fixtures/bilan-saisi-377708425.json'
  const child = Bun.spawn(
    [
      'bun',
      'src/cli.ts',
      'data',
      'sample',
      '--companies',
      list,
      '--fr',
      accounts,
      '--to',
      join(folder, 'none'),
    ],
    { cwd: root, stdout: 'ignore', stderr: 'pipe' },
  )
  const errors = await new Response(child.stderr).text()
  expect(await child.exited).not.toBe(0)
  expect(existsSync(join(folder, 'none'))).toBe(false)
  return errors
}

test('an invalid list of companies, or one with a company that no file names, produces nothing', async () => {
  expect(await refusal('FR 377708425\nXX 1\n')).toContain(
    'companies.txt:2: XX 1 is not a market and a number',
  )
  expect(await refusal('FR 377708425\nFR\n')).toContain('companies.txt:2: FR is not a market and a number')
  expect(await refusal('# none\n\n')).toContain('lists no company')
  expect(await refusal('FR 377708425\nFR 552032534 # Danone\n')).toContain(
    'The files do not contain FR 552032534.',
  )
})
