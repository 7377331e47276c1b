import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from '../boot/serverProcess.ts'
import { prepareDataDir } from '../database.ts'
import { blocksOf } from '../docs/blocks.ts'
import { generateTypes, typesFile } from './typescriptTypes.ts'

/** The TypeScript client as users have it: packed by npm, installed into a folder of their own, against the server as a person
 * starts it. */

setDefaultTimeout(300_000)

const root = resolve(import.meta.dir, '../..')
const client = join(root, 'clients/typescript')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-typescript-'))
const checks = join(import.meta.dir, 'typescriptChecks.mjs')
const hasNode = Bun.which('node') !== null && Bun.which('npm') !== null
const dataDir = makeDataDir()
let server: ServerProcess | null = null
let key = ''
let packed: { files: { path: string }[] } = { files: [] }

beforeAll(async () => {
  if (!hasNode) return
  await prepareDataDir(dataDir)
  server = await startServerProcess(dataDir)
  key = /asf_live_\w+/.exec(server.said())?.[0] ?? ''
  packed = await install()
})

afterAll(async () => {
  server?.signal('SIGTERM')
  await server?.exited
  removeDataDir(dataDir)
  rmSync(folder, { recursive: true, force: true })
  rmSync(join(client, 'dist'), { recursive: true, force: true })
})

/** Packs the client and unpacks it next to its dependencies, as `npm install` would, but without a network. */
async function install(): Promise<typeof packed> {
  const { out, err, code } = await run(
    ['npm', 'pack', client, '--json', '--pack-destination', folder],
    folder,
  )
  if (code !== 0) throw new Error(`${out}${err}`)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'asfiled'), { recursive: true })
  const archive = join(folder, 'asfiled-0.1.0.tgz')
  await run(['tar', '-xzf', archive, '-C', join(modules, 'asfiled'), '--strip-components=1'], folder)
  for (const name of Object.keys((await Bun.file(join(client, 'package.json')).json()).dependencies))
    cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true, dereference: true })
  cpSync(checks, join(folder, 'checks.mjs'))
  return JSON.parse(out.slice(out.indexOf('[')))[0]
}

async function run(command: string[], cwd: string) {
  const child = Bun.spawn(command, {
    cwd,
    env: {
      ...process.env,
      ASFILED_URL: server?.address ?? '',
      ASFILED_KEY: key,
      npm_config_update_notifier: 'false',
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

const names = [...(await Bun.file(checks).text()).matchAll(/^ {2}async '([^']+)'/gm)].map(([, name]) => name)
const programs = (await blocksOf('clients/typescript/README.md')).filter(({ language }) => language === 'ts')
/** The examples of the README, one after the other in one program. An import belongs at its beginning. */
const program = programs.map(({ text }) => `${text}\nconsole.log('\\u0001')`).join('\n')

async function holdsAll(command: string[], cwd: string): Promise<void> {
  const { out, err, code } = await run(command, cwd)
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
  expect(out.trim().split('\n')).toEqual(names)
}

test('has types that are those of the server', async () => {
  const isCurrent = (await Bun.file(typesFile).text()) === (await generateTypes())
  // As a flag: the difference would fill the report. `bun test/clients/typescriptTypes.ts` writes the file again.
  expect(isCurrent).toBe(true)
})

test('has at most 400 lines that were written by hand', async () => {
  const files = (await Array.fromAsync(new Bun.Glob('*.ts').scan(join(client, 'src')))).filter(
    file => file !== 'openapi.ts',
  )
  const texts = await Promise.all(files.map(file => Bun.file(join(client, 'src', file)).text()))
  expect(texts.join('').split('\n').length - 1).toBeLessThanOrEqual(400)
  expect(files.length).toBeGreaterThan(4)
})

describe.skipIf(!hasNode)('the TypeScript client', () => {
  test('is packed with what it needs, and nothing else', () => {
    const modules = ['client', 'errors', 'index', 'jobs', 'jsonLines', 'openapi', 'retries']
    const compiled = modules.flatMap(name => [`dist/${name}.d.ts`, `dist/${name}.js`])
    expect(packed.files.map(({ path }) => path).sort()).toEqual(['README.md', ...compiled, 'package.json'])
  })

  test('has the dependencies that the server is tested with', async () => {
    const { dependencies } = await Bun.file(join(client, 'package.json')).json()
    const versions = Object.keys(dependencies).map(async name => {
      const { version } = await Bun.file(join(root, 'node_modules', name, 'package.json')).json()
      return [name, version]
    })
    expect(dependencies).toEqual(Object.fromEntries(await Promise.all(versions)))
  })

  test('keeps its guarantees on Node', () => holdsAll(['node', 'checks.mjs'], folder))

  test('keeps its guarantees on Bun', () => holdsAll(['bun', 'checks.mjs'], folder))

  test('keeps its guarantees from one bundled file, without node_modules', async () => {
    const alone = mkdtempSync(join(tmpdir(), 'asfiled-bundle-'))
    const build = ['bun', 'build', '--target', 'browser', '--external', 'node:*', 'checks.mjs', '--outfile']
    expect((await run([...build, join(alone, 'bundle.mjs')], folder)).code).toBe(0)
    await holdsAll(['node', 'bundle.mjs'], alone)
    rmSync(alone, { recursive: true })
  })

  test('prints on Node what its README shows', async () => {
    expect(programs.filter(({ shown }) => shown !== null).length).toBeGreaterThan(4)
    const source = program.replaceAll('http://localhost:3000', server?.address ?? '')
    await Bun.write(join(folder, 'readme.mjs'), new Bun.Transpiler({ loader: 'ts' }).transformSync(source))
    const { out, err, code } = await run(['node', 'readme.mjs'], folder)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.split('\u0001\n').slice(0, -1)).toEqual(programs.map(({ shown }) => shown?.text ?? ''))
  })

  test('prints what the guide for clients shows', async () => {
    const [example] = (await blocksOf('docs/clients.md')).filter(({ text }) =>
      text.includes("from 'asfiled'"),
    )
    const source = example.text.replaceAll('http://localhost:3000', server?.address ?? '')
    await Bun.write(join(folder, 'guide.mjs'), new Bun.Transpiler({ loader: 'ts' }).transformSync(source))
    expect(await run(['node', 'guide.mjs'], folder)).toEqual({
      out: example.shown?.text ?? '',
      err: '',
      code: 0,
    })
  })

  test('has types under which its README compiles, and wrong programs do not', async () => {
    const wrong = [
      "await client.get('/api/v1/fundamental')",
      "await client.get('/api/v1/signals', { params: { query: { horizn: '1d' } } })",
      "client.rows('/api/v1/me')",
      "await client.submit('/api/v1/panels', { body: {} })",
      "if (caught.code === 'entity_unkown') console.log(caught)",
      'result.metrics.sharp',
    ]
    const exhaustive = `
declare const caught: AsfiledError
function hint(code: AsfiledError['code']): string {
  ${[...new Set(['no_response', 'job_cancelled', 'data_changed', 'setting_invalid', 'unrecognised'])].map(code => `if (code === '${code}') return ''`).join('\n  ')}
  const stated: ErrorCode = code
  return stated
}
console.log(hint(caught.code))
`
    const types =
      "import type { ErrorCode } from 'asfiled'\ndeclare const process: { env: Record<string, string> }\n"
    const guide = (await blocksOf('docs/clients.md')).find(block => block.text.includes("from 'asfiled'"))
    expect(guide).toBeDefined()
    await Bun.write(join(folder, 'guide.mts'), guide?.text ?? '')
    const text = `${types}${program}${exhaustive}${wrong.join('\n')}\n`
    await Bun.write(join(folder, 'program.mts'), text)
    const compilerOptions = {
      target: 'ES2022',
      module: 'NodeNext',
      lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
      types: [],
      strict: true,
      noEmit: true,
    }
    await Bun.write(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['program.mts', 'guide.mts'] }),
    )
    const { out } = await run([join(root, 'node_modules/.bin/tsc'), '-p', '.', '--pretty', 'false'], folder)
    const lines = text.split('\n')
    const faults = [...out.matchAll(/^(\S+)\((\d+),\d+\): error/gm)]
    expect(faults.map(([, file, line]) => (file === 'program.mts' ? lines[Number(line) - 1] : out))).toEqual(
      wrong,
    )
  })
})
