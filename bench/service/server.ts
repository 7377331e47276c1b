import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Served, sellKey, startApp } from '../http.ts'

export interface Service extends Served {
  /** A key with the quant plan and no limit that a load would meet. */
  newKey(): Promise<string>
  /** Another server on the same database. */
  beside(settings: Record<string, string>): Promise<Served>
  /** The settings that it runs on. */
  readonly env: Record<string, string | undefined>
}

/** The real server as a process of its own, with the shipped sample in an embedded PostgreSQL; gone when `work` is done. */
export async function withService<T>(
  work: (service: Service) => Promise<T>,
  settings: Record<string, string> = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-'))
  const children: Bun.Subprocess[] = []
  const env = { ...process.env, DATA_DIR: join(folder, 'data'), PORT: '0', DATABASE_URL: '', ...settings }
  try {
    const served = await startApp(env, folder, children)
    const beside = (more: Record<string, string>) => startApp({ ...env, ...more }, folder, children)
    return await work({ ...served, env, beside, newKey: () => sellKey(env, '--quant') })
  } finally {
    for (const child of children.reverse()) {
      child.kill('SIGTERM')
      await child.exited
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Ask {
  readonly key: string
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly type?: string
  readonly query?: string
  readonly signal?: AbortSignal
}

export function ask({ port }: Served, route: string, { key, body, type, query, signal }: Ask) {
  return fetch(`http://127.0.0.1:${port}/api/v1/${route}${query ?? ''}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': type ?? 'application/json',
      'Accept-Encoding': 'identity',
    },
    body,
    ...(signal ? { signal } : {}),
  })
}

/** The text of an answer that has to be a good one. */
export async function answerOf(service: Served, route: string, request: Ask): Promise<string> {
  const response = await ask(service, route, request)
  const text = await response.text()
  if (!response.ok) throw new Error(`${route} was answered ${response.status}: ${text.slice(0, 300)}`)
  return text
}
