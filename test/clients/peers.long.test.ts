import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from '../boot/serverProcess.ts'
import { prepareDataDir } from '../database.ts'
import { findPeersPython } from '../python.ts'

/* The real alphalens and vectorbt take the frames of the Python client, and find in them what backtests of the server find. */

setDefaultTimeout(600_000)

const python = findPeersPython('alphalens', 'vectorbt', 'pyarrow', 'requests')
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
  'IC and quantile returns of alphalens, and returns of vectorbt without costs, are those of the server',
  async () => {
    const child = Bun.spawn([python ?? '', resolve(import.meta.dir, 'peers/compare.py')], {
      env: {
        ...process.env,
        PYTHONPATH: resolve(import.meta.dir, '../../clients/python/src'),
        PYTHONDONTWRITEBYTECODE: '1',
        ASFILED_URL: server?.address ?? '',
        ASFILED_KEY: /asf_live_\w+/.exec(server?.said() ?? '')?.[0] ?? '',
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
    const found = JSON.parse(out.trim().split('\n').at(-1) ?? '')
    console.log(found)
    for (const name of ['ic', 'quantiles', 'spread', 'derived_returns'])
      expect(found[name]).toBeLessThan(1e-12)
    for (const name of ['total_return', 'curve']) expect(found[name]).toBeLessThan(1e-9)
  },
)
