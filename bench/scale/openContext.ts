import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { revokeKey } from '../../src/access/keys.ts'
import { openDatabase } from '../../src/boot/database.ts'
import { readConfig } from '../../src/config.ts'
import { isoDate } from '../../src/dates.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { type Served, sellKey, startApp } from '../http.ts'
import type { LoadOutcome } from '../httpLoad.ts'
import type { Context, LoadOptions } from './context.ts'

export interface ContextOptions {
  readonly dataDir: string | null
  readonly seconds: number
  readonly seed: string
  readonly dropsCaches: boolean
  readonly log: (line: string) => void
  readonly signal: AbortSignal
}

const root = join(import.meta.dir, '../..')
const endMs = 30_000

/** Runs `work` with a server on this data. Afterwards stops all processes and revokes the key it created. */
export async function withContext<T>(
  options: ContextOptions,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-scale-'))
  const { dataDir, signal } = options
  const env: Record<string, string | undefined> = {
    ...process.env,
    ...(dataDir === null ? {} : { DATA_DIR: dataDir, DATABASE_URL: '' }),
    PORT: '0',
    // Searches are limited by address, so the load sends many different ones.
    TRUSTED_PROXIES: '127.0.0.1',
  }
  const children: Bun.Subprocess[] = []
  const end = async (child: Bun.Subprocess) => {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), endMs)
    await child.exited
    clearTimeout(late)
  }
  signal.addEventListener('abort', () => {
    for (const child of children) child.kill('SIGKILL')
  })
  let served: Promise<Served> | null = null
  const stopServer = async () => {
    served = null
    for (const child of children.splice(0)) await end(child)
  }
  const server = (settings = {}) => {
    signal.throwIfAborted()
    served ??= startApp({ ...env, ...settings }, folder, children)
    return served
  }
  const useSql = async <R>(use: (sql: Sql) => Promise<R>): Promise<R> => {
    const database = await openDatabase(readConfig({ ...env, DATABASE_CONNECTIONS: '4' }), 0, () => {})
    try {
      return await use(database.sql)
    } finally {
      await database.close()
    }
  }
  const withSql = <R>(use: (sql: Sql) => Promise<R>): Promise<R> => {
    signal.throwIfAborted()
    return useSql(use)
  }
  let loads = 0
  const load = async (
    { requests, ...options }: LoadOptions,
    until?: Promise<unknown>,
  ): Promise<LoadOutcome> => {
    const { port } = await server()
    const file = join(folder, `requests-${loads++}`)
    await Bun.write(file, requests.map(request => JSON.stringify(request)).join('\n'))
    const task = { ...options, port, headers: { Authorization: `Bearer ${key}` }, requests: file }
    const child = Bun.spawn(['bun', 'bench/httpLoad.ts', JSON.stringify(task)], { cwd: root, stdout: 'pipe' })
    const kill = () => child.kill('SIGKILL')
    signal.addEventListener('abort', kill)
    const stop = () => child.kill('SIGTERM')
    until?.then(stop, stop)
    const text = await new Response(child.stdout).text()
    signal.removeEventListener('abort', kill)
    signal.throwIfAborted()
    return JSON.parse(text)
  }
  const key = await sellKey(env)
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  aborted.catch(() => {})
  try {
    const working = work({
      env,
      folder,
      key,
      signal,
      withSql,
      server,
      stopServer,
      load,
      seconds: options.seconds,
      seed: options.seed,
      dropsCaches: options.dropsCaches,
      log: options.log,
      isEmbedded: readConfig(env).databaseUrl === null,
      today: isoDate(Math.floor(Date.now() / 86_400_000)),
    })
    return await Promise.race([working, aborted])
  } finally {
    await stopServer()
    await useSql(sql => revokeKey({ sql }, key))
    rmSync(folder, { recursive: true, force: true })
  }
}
