import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sampleFiles } from '../sampleFiles.ts'

setDefaultTimeout(180_000)

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
    const to = join(folder, 'made')
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
    const [made, shipped] = await Promise.all([to, join(root, 'sample')].map(readSampleFiles))
    expect(made.text === shipped.text).toBe(true)
    // Compressors differ between versions of Bun. The header states neither a time nor a system, so equal texts have equal bytes.
    expect(made.header).toEqual([31, 139, 8, 0, 0, 0, 0, 0, 2, 255])
    expect(made.filings).toEqual(shipped.filings)
    expect(made.entities).toBe(shipped.entities)
  },
)

async function readSampleFiles(from: string) {
  const packed = await Bun.file(join(from, 'fundamentals.csv.gz')).bytes()
  return {
    header: [...packed.subarray(0, 10)],
    text: new TextDecoder().decode(Bun.gunzipSync(packed)),
    filings: await Bun.file(join(from, 'filings.jsonl.gz')).bytes(),
    entities: await Bun.file(join(from, 'entities.csv')).text(),
  }
}

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
