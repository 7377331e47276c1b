import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorCodes } from '../../src/errors.ts'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from '../boot/serverProcess.ts'
import { blocksOf } from '../docs/blocks.ts'
import { findPython } from '../python.ts'

/** The Python client against the server as a person starts it: its own tests, its types, its README and its notebook. */

setDefaultTimeout(300_000)

const client = resolve(import.meta.dir, '../../clients/python')
const python = findPython('requests', 'pandas', 'polars', 'pyarrow', 'tqdm', 'pytest', 'mypy')
const notebooks = python === null ? null : findPython('nbclient', 'nbformat', 'ipykernel', 'matplotlib')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-python-'))
const dataDir = makeDataDir()
let server: ServerProcess | null = null
let key = ''

beforeAll(async () => {
  if (python === null) return
  server = await startServerProcess(dataDir)
  key = /asf_live_\w+/.exec(server.said())?.[0] ?? ''
})

afterAll(async () => {
  server?.signal('SIGTERM')
  await server?.exited
  removeDataDir(dataDir)
  rmSync(folder, { recursive: true, force: true })
})

async function run(program: string | null, args: readonly string[], cwd: string) {
  const child = Bun.spawn([program ?? 'python3', ...args], {
    cwd,
    env: {
      ...process.env,
      PYTHONPATH: join(client, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
      // As the owner of a checkout runs them, whatever that person's Jupyter and Matplotlib are set to.
      IPYTHONDIR: folder,
      JUPYTER_CONFIG_DIR: folder,
      MPLCONFIGDIR: folder,
      ASFILED_URL: server?.address ?? '',
      ASFILED_KEY: key,
      ASFILED_TEST_URL: server?.address ?? '',
      ASFILED_TEST_KEY: key,
      ASFILED_TEST_CODES: errorCodes.join(','),
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, err, code }
}

const programs = (await blocksOf('clients/python/README.md')).filter(({ language }) => language === 'python')

describe.skipIf(python === null)('the Python client', () => {
  test('passes its tests against the real server, and names those that it skips', async () => {
    const { out, err, code } = await run(python, ['-m', 'pytest', '-rs', '--color=no'], client)
    for (const line of out.match(/^SKIPPED .*$/gm) ?? []) console.warn(`skipped: ${line}`)
    expect({ code, report: code === 0 ? '' : `${out}${err}` }).toEqual({ code: 0, report: '' })
    expect(out).toMatch(/^[1-9]\d* passed/m)
  })

  test('is clean under mypy --strict', async () => {
    const cache = join(folder, 'mypy')
    const { out, code } = await run(python, ['-m', 'mypy', '--cache-dir', cache], client)
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('no issues found') })
  })

  test('has examples in its README', () => {
    expect(programs.length).toBeGreaterThan(4)
    expect(programs.filter(({ shown }) => shown !== null).length).toBeGreaterThan(2)
  })

  test('prints what its README shows', async () => {
    // One after the other in one program, as a reader pastes them.
    const mark = '\u0001'
    const script = programs.map(({ text }) => `${text}\nprint("${mark}", end="")\n`).join('')
    await Bun.write(join(folder, 'readme.py'), script)
    const { out, err, code } = await run(python, ['readme.py'], folder)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const printed = out.split(mark).slice(0, -1)
    expect(printed).toEqual(programs.map(({ shown }) => shown?.text ?? ''))
  })

  test.skipIf(notebooks === null)(
    'has a notebook whose stored outputs are those of the real server',
    async () => {
      const notebook = join(client, 'examples/forecasts.ipynb')
      const { out, err, code } = await run(
        notebooks,
        [join(client, 'examples/run.py'), '--check', notebook],
        folder,
      )
      expect({ code, report: code === 0 ? '' : `${out}${err}` }).toEqual({ code: 0, report: '' })
    },
  )
})
