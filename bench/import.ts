import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { importUs } from '../src/domain/ingest/importUs.ts'
import { connect } from '../src/store/database.ts'
import { openCluster } from '../src/store/embedded/cluster.ts'
import { migrate } from '../src/store/migrate.ts'

export interface ImportBench {
  readonly files: number
  readonly megabytes: number
  readonly seconds: number
  readonly figures: number
  readonly statements: number
  /** Rows of facts and of the repeats kept beside them. */
  readonly rowsStored: number
  readonly factRowsStored: number
  readonly figuresPerSecond: number
  readonly statementsPerSecond: number
  readonly rowsStoredPerSecond: number
  readonly factRowsStoredPerSecond: number
  readonly peakMemoryMb: number
}

const source = resolve(import.meta.dir, '../../shared/registers/us/companyfacts')

/** Imports real companyfacts files, each under many CIKs, into an empty database of its own, indexes and all.
 * null where the real files are not at hand. */
export async function benchImport(copies = 40): Promise<ImportBench | null> {
  if (!existsSync(source)) {
    console.warn('import: skipped, ../shared is not on this machine')
    return null
  }
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-import-'))
  try {
    const files = join(folder, 'companyfacts')
    const bytes = await writeCorpus(files, copies)
    const cluster = await openCluster(join(folder, 'data'), () => {})
    const sql = connect({ url: cluster.url, connections: 4, statementTimeoutMs: 0 })
    try {
      await migrate(sql)
      let peak = 0
      const began = performance.now()
      const { read, written } = await importUs(sql, [files], () => {
        peak = Math.max(peak, process.memoryUsage.rss())
      })
      const seconds = (performance.now() - began) / 1000
      const rows = written.factsAdded + written.repeats
      return {
        files: read.documents,
        megabytes: Math.round(bytes / 1e6),
        seconds,
        figures: read.figuresRead,
        statements: written.statements,
        rowsStored: rows,
        factRowsStored: written.factsAdded,
        figuresPerSecond: Math.round(read.figuresRead / seconds),
        statementsPerSecond: Math.round(written.statements / seconds),
        rowsStoredPerSecond: Math.round(rows / seconds),
        factRowsStoredPerSecond: Math.round(written.factsAdded / seconds),
        peakMemoryMb: Math.round(peak / 1e6),
      }
    } finally {
      await sql.end({ timeout: 5 })
      await cluster.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function writeCorpus(folder: string, copies: number): Promise<number> {
  let bytes = 0
  for (const path of new Bun.Glob('*.json').scanSync({ cwd: source, absolute: true })) {
    const text = await Bun.file(path).text()
    const label = basename(path).slice(3, 13)
    for (let copy = 0; copy < copies; copy++) {
      const cik = String(5_000_000_000 + copy * 10_000_000 + (Number(label) % 10_000_000))
      const document = text.replace(/"cik":\s*"?\d+"?/, `"cik":"${cik}"`)
      bytes += await Bun.write(join(folder, `CIK${cik}.json`), document)
    }
  }
  return bytes
}

if (import.meta.main) console.log(await benchImport(Number(process.argv[2] ?? 40)))
