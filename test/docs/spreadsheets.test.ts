import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realServer } from '../http/realServer.ts'
import { findPython } from '../python.ts'
import { blocksOf } from './blocks.ts'

/** Runs the lines for DuckDB and R of the guide on spreadsheets as a reader would, in the order of the guide. */

setDefaultTimeout(180_000)

const server = await realServer()
const folder = mkdtempSync(join(tmpdir(), 'asfiled-sheets-'))
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}, 180_000)

const blocks = await blocksOf('docs/spreadsheets.md')
const textsOf = (language: string) =>
  blocks
    .filter(block => block.language === language)
    .map(({ text }) => text.replaceAll('http://localhost:3000', server.url))
const [fromFiles = '', overHttp = ''] = textsOf('sql')
const [shown = ''] = textsOf('text')
const [files = ''] = textsOf('sh')
const [ofR = ''] = textsOf('r')

async function run(...command: string[]) {
  const child = Bun.spawn(command, { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { out, err, code: await child.exited }
}

/** Prints each result as the guide shows it. The extension is that of the machine, or of the package duckdb-ext-httpfs. */
const script = (statements: string, needsHttp: boolean) => `
import duckdb, glob, os, sys
db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
if ${needsHttp ? 'True' : 'False'}:
    try:
        import duckdb_ext
        where = os.path.join(list(duckdb_ext.__path__)[0], "extensions", "v" + duckdb.__version__, "*", "httpfs.duckdb_extension")
        db.execute("load '" + glob.glob(where)[0] + "'")
    except (ImportError, IndexError):
        try:
            db.execute("load httpfs")
        except duckdb.Error:
            sys.exit(9)
for statement in ${JSON.stringify(statements)}.split(";"):
    if statement.strip() == "":
        continue
    found = db.execute(statement)
    if statement.lstrip().startswith("select"):
        print("\\n".join(f"{fy} {v:.0f}" for fy, v in found.fetchall()))
`

const python = findPython('duckdb')

test('curl saves a list under the name that the answer gives it', async () => {
  expect((await run('sh', '-ec', files)).out).toBe(
    'asfiled-AAPL-2010-02-01.csv\nasfiled-AAPL-2010-02-01.parquet\n',
  )
})

test.skipIf(python === null)('DuckDB reads the files', async () => {
  writeFileSync(join(folder, 'files.py'), script(fromFiles, false))
  expect(await run(python ?? '', 'files.py')).toEqual({ out: shown + shown, err: '', code: 0 })
})

const hasHttpfs = python !== null && Bun.spawnSync([python, '-c', script('', true)]).exitCode === 0
if (python !== null && !hasHttpfs) console.log('skipped: DuckDB has no httpfs here')
test.skipIf(!hasHttpfs)('DuckDB reads the server with the key, where it has httpfs', async () => {
  writeFileSync(join(folder, 'http.py'), script(overHttp, true))
  expect(await run(python ?? '', 'http.py')).toEqual({ out: shown + shown, err: '', code: 0 })
})

const hasR = Bun.which('Rscript') !== null
if (!hasR) console.log('skipped: R is not installed')
test.skipIf(!hasR)('R reads the server with the key', async () => {
  writeFileSync(join(folder, 'rows.R'), ofR)
  expect((await run('Rscript', 'rows.R')).out.trimEnd()).toBe(shown.trimEnd())
})
