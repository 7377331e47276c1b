import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeEmptyDatabase } from '../../test/database.ts'
import { type Environment, type Served, sellKey, startApp } from '../http.ts'

export interface Service extends Served {
  /** Creates a key with the quant plan and limits that no load reaches. */
  newKey(): Promise<string>
  /** Starts a second server on the same database. */
  startSecond(settings: Record<string, string>): Promise<Served>
  /** The environment of the server. */
  readonly env: Environment
}

/** Runs `work` against the real server in its own process, on an embedded PostgreSQL unless the settings name another. Removes
 * both afterwards.
 *
 * @param settings as in the environment
 * @param data what the database has at the start. Loading the shipped sample takes ten seconds */
export async function withService<T>(
  work: (service: Service) => Promise<T>,
  settings: Record<string, string> = {},
  data: 'sample' | 'none' = 'sample',
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-'))
  const children: Bun.Subprocess[] = []
  const env = { ...process.env, DATA_DIR: join(folder, 'data'), PORT: '0', DATABASE_URL: '', ...settings }
  try {
    if (data === 'none') await makeEmptyDatabase(env)
    const served = await startApp(env, folder, children)
    const startSecond = (more: Record<string, string>) => startApp({ ...env, ...more }, folder, children)
    return await work({ ...served, env, startSecond, newKey: () => sellKey(env, '--quant') })
  } finally {
    for (const child of children.reverse()) {
      child.kill('SIGTERM')
      await child.exited
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

interface PostRequest {
  readonly key: string
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly type?: string
  readonly query?: string
  readonly prefer?: string
  readonly signal?: AbortSignal
}

export function post(
  { port }: Pick<Served, 'port'>,
  route: string,
  { key, body, type, query, prefer, signal }: PostRequest,
) {
  return fetch(`http://127.0.0.1:${port}/api/v1/${route}${query ?? ''}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': type ?? 'application/json',
      'Accept-Encoding': 'identity',
      ...(prefer ? { Prefer: prefer } : {}),
    },
    body,
    ...(signal ? { signal } : {}),
  })
}

/** Posts a request and returns the body of the response. Throws for an error status. */
export async function postOk(
  service: Pick<Served, 'port'>,
  route: string,
  request: PostRequest,
): Promise<string> {
  const response = await post(service, route, request)
  const text = await response.text()
  if (!response.ok) throw new Error(`${route} was answered ${response.status}: ${text.slice(0, 300)}`)
  return text
}
