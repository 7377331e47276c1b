import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { type BuildOptions, buildRelease } from '../../../src/features/bulk/build.ts'
import type { BulkManifest } from '../../../src/features/bulk/release.ts'
import { releaseFolder } from '../../../src/features/bulk/release.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { type MirrorRow, manifests, sorted } from '../changes/mirror.ts'

export function makeBulkFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bulk-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A release with all markets. */
export const build = (sql: Sql, folder: string, change: Partial<BuildOptions> = {}) =>
  buildRelease({
    ...{ sql, folder, manifests, keep: 3, today: '2026-07-01', signal: new AbortController().signal },
    onProgress: () => {},
    report: () => {},
    ...change,
  })

const compressors = {
  ZSTD: (bytes: Uint8Array) => new Uint8Array(Bun.zstdDecompressSync(new Uint8Array(bytes))),
}

/** All rows of a release, as a client reads them. */
export async function readRelease(folder: string, manifest: BulkManifest): Promise<MirrorRow[]> {
  const all: MirrorRow[] = []
  for (const { path, rows } of nonEmpty(manifest.files)) {
    const bytes = readFileSync(join(releaseFolder(folder, manifest.data_version), path))
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    const found = await parquetReadObjects({ file, compressors })
    if (found.length !== rows) throw new Error(`${path} has ${found.length} rows and not ${rows}.`)
    for (const row of found)
      all.push(
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            value instanceof Date ? value.toISOString().slice(0, 10) : (value ?? null),
          ]),
        ),
      )
  }
  return sorted(all)
}
