import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { testDatabase } from '../../database.ts'
import { blocksOf } from '../../docs/blocks.ts'
import { findPython } from '../../python.ts'
import { testServer } from '../testServer.ts'

/** Generators of clients from npm and PyPI, with the settings of the guide: each accepts /openapi.json, what it writes compiles, and its types
 * know the fields of an answer and no others. openapi-typescript is in client.test.ts, which every run of the tests has. */

if (process.env.LONG === undefined) console.log('skipped: generators of clients run with LONG=1')
setDefaultTimeout(10 * 60_000)

const packages = [
  '@hey-api/openapi-ts@0.99.0',
  'axios@1.21.1',
  'orval@8.38.0',
  'typescript@5.9.3',
  'zod@4.6.7',
]

const settings = await blocksOf('docs/clients.md')
const settingsIn = (language: string, word: string) =>
  settings.find(block => block.language === language && block.text.includes(word))?.text ?? ''

describe.skipIf(process.env.LONG === undefined)('a generated client (LONG=1)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-generators-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  async function run(...command: string[]): Promise<{ code: number; output: string }> {
    const child = Bun.spawn(command, { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
    const texts = [child.stdout, child.stderr].map(stream => new Response(stream).text())
    const output = (await Promise.all(texts)).join('')
    return { code: await child.exited, output }
  }

  beforeAll(async () => {
    const database = await testDatabase()
    const server = await testServer(database.sql)
    await Bun.write(join(folder, 'openapi.json'), await (await fetch(`${server.url}/openapi.json`)).text())
    await server.stop()
    await database.close()
    await Bun.write(join(folder, 'package.json'), '{"private": true, "type": "module"}')
    expect(await run('bun', 'add', '--exact', ...packages)).toMatchObject({ code: 0 })
  })

  /** What tsc finds in the files of a folder, one fault a line. */
  async function faultsOf(place: string, program = 'export {}'): Promise<string> {
    await Bun.write(join(folder, place, 'program.ts'), program)
    const compilerOptions = {
      target: 'ESNext',
      module: 'Preserve',
      lib: ['ESNext', 'DOM', 'DOM.Iterable'],
      types: [],
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      allowImportingTsExtensions: true,
    }
    await Bun.write(join(folder, place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }))
    return (await run('bun', 'node_modules/typescript/bin/tsc', '-p', place, '--pretty', 'false')).output
  }

  const linesOf = (faults: string) =>
    [...faults.matchAll(/program\.ts\((\d+),/g)].map(([, line]) => Number(line))

  test('of @hey-api/openapi-ts compiles, and types the JSON of an answer', async () => {
    const generator = 'node_modules/@hey-api/openapi-ts/bin/run.js'
    expect(await run('bun', generator, '-i', './openapi.json', '-o', 'hey')).toMatchObject({ code: 0 })
    const program = `import { getFundamentals, runBacktest } from './index.ts'
const { data } = await getFundamentals({ query: { ticker: 'AAPL' } })
if (data?.object === 'fundamentals_list') data.data[0].v.toFixed()
if (data?.object === 'coverage') data.nothing
const { data: run } = await runBacktest({ body: { config: { quantile: 0.1 } } })
if (run?.object === 'backtest_result') run.metrics.sharpe?.toFixed()
if (run?.object === 'backtest') run.state.at(0)
await runBacktest({ body: { config: { quantile: 'much' } } })
`
    expect(linesOf(await faultsOf('hey', program))).toEqual([4, 8])
  })

  test.each(['axios', 'axios-functions', 'zod'])(
    'of orval for %s compiles, without settings',
    async client => {
      const target = `orval-${client}/api.ts`
      const generated = await run(
        'bun',
        'node_modules/orval/dist/bin/orval.mjs',
        '--input',
        './openapi.json',
        '--output',
        target,
        '--client',
        client,
      )
      expect(generated).toMatchObject({ code: 0 })
      expect(await faultsOf(dirname(target))).toBe('')
    },
  )

  test('of orval for fetch compiles with the settings of the guide, and types the JSON of an answer', async () => {
    const config = settingsIn('ts', 'contentType')
      .replace('http://localhost:3000/openapi.json', './openapi.json')
      .replace("target: 'asfiled.ts'", "target: 'orval/asfiled.ts'")
    await Bun.write(join(folder, 'orval.config.ts'), config)
    expect(await run('bun', 'node_modules/orval/dist/bin/orval.mjs')).toMatchObject({ code: 0 })
    const program = `import { getFundamentals, runBacktest } from './asfiled.ts'
const answer = await getFundamentals({ ticker: 'AAPL' })
if (answer.status === 200 && answer.data.object === 'fundamentals_list') answer.data.data[0].v.toFixed()
if (answer.status === 200 && answer.data.object === 'coverage') answer.data.nothing
const run = await runBacktest({ config: { quantile: 0.1 } })
if (run.status === 200) run.data.metrics.sharpe?.toFixed()
if (run.status === 202) run.data.state.at(0)
await runBacktest({ config: { quantile: 'much' } })
`
    expect(linesOf(await faultsOf('orval', program))).toEqual([4, 8])
  })

  const python = process.env.LONG === undefined ? null : findPython('openapi_python_client', 'mypy')
  test.skipIf(python === null)('of openapi-python-client passes mypy --strict', async () => {
    await Bun.write(join(folder, 'config.yaml'), settingsIn('yaml', 'content_type_overrides'))
    const generated = await run(
      python ?? '',
      '-m',
      'openapi_python_client',
      'generate',
      '--path',
      'openapi.json',
      '--output-path',
      'python',
      '--config',
      'config.yaml',
    )
    expect(generated).toMatchObject({ code: 0 })
    // Bodies of text and of Arrow are all that the generator does not know.
    const unknown = generated.output.match(/^(Unsupported content type|Cannot parse).*$/gm) ?? []
    expect([...new Set(unknown)].sort()).toEqual([
      'Unsupported content type application/vnd.apache.arrow.stream',
      'Unsupported content type text/csv',
      'Unsupported content type text/plain',
    ])
    const checked = await run(python ?? '', '-m', 'mypy', '--strict', 'python')
    expect(checked.output).toContain('Success: no issues found')
  })
})
