import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from '../boot/serverProcess.ts'
import { prepareDataDir } from '../database.ts'
import { blocksOf } from '../docs/blocks.ts'
import { findPeersPython } from '../python.ts'

/* Pipelines of the real zipline, on the filings of the shipped sample. Every value is compared with a join of the server. */

setDefaultTimeout(600_000)

const root = resolve(import.meta.dir, '../..')
const python = findPeersPython('zipline', 'pyarrow', 'requests')
const example = (await blocksOf('docs/clients.md')).find(({ language }) => language === 'py')
const dataDir = makeDataDir()
let server: ServerProcess | null = null

beforeAll(async () => {
  if (python === null) return
  await prepareDataDir(dataDir)
  server = await startServerProcess(dataDir)
})
afterAll(async () => {
  server?.signal('SIGTERM')
  await server?.exited
  removeDataDir(dataDir)
})

test.skipIf(python === null)(
  'a pipeline has the values of joins on every session, and none comes early',
  async () => {
    const child = Bun.spawn([python ?? '', resolve(import.meta.dir, 'zipline/pipeline.py')], {
      env: {
        ...process.env,
        PYTHONPATH: resolve(root, 'clients/python/src'),
        PYTHONDONTWRITEBYTECODE: '1',
        ASFILED_URL: server?.address ?? '',
        ASFILED_KEY: /asf_live_\w+/.exec(server?.said() ?? '')?.[0] ?? '',
        EXAMPLE: example?.text ?? '',
        TICKERS: JSON.stringify(['AAPL', 'MAS', 'XOM', 'GE']),
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, error, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    expect({ code, error: code === 0 ? '' : error }).toEqual({ code: 0, error: '' })
    const { compared, found, windows, refused, by_known, margins } = JSON.parse(
      out.trim().split('\n').at(-1) ?? '',
    )
    console.log({ compared, found, windows, by_known })
    expect(compared).toBeGreaterThan(50_000)
    expect(found).toBeGreaterThan(10_000)
    expect(windows).toBeGreaterThan(5_000)
    expect(margins).toBeGreaterThan(50)
    expect(refused).toEqual([
      'Name at least one metric, such as revenue.',
      "fp='H1' is no kind of period. Allowed: FY, Q, TTM, latest.",
      "known='close' is not allowed. Allowed: cutoff, day.",
    ])
  },
)
