import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Subprocess } from 'bun'

const program = resolve(import.meta.dir, '../../../.ci/bin/versitygw')

/** Whether the tests with a real S3 server, which checks signatures, can run. `.ci/long` builds it from its Go module. */
export const hasStorage = process.env.LONG === '1' && existsSync(program)
if (!hasStorage) console.warn('skipped: publishing to a bucket runs with LONG=1 and .ci/bin/versitygw')

export const credentials = { accessKeyId: 'publisher', secretAccessKey: 'not-in-any-message' }

/** An S3 server whose buckets are the folders in `folder`. */
export async function startStorage(folder: string, port: number): Promise<Subprocess> {
  const storage = Bun.spawn([program, '--port', `127.0.0.1:${port}`, 'posix', folder], {
    env: { ROOT_ACCESS_KEY: credentials.accessKeyId, ROOT_SECRET_KEY: credentials.secretAccessKey },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await fetch(`http://127.0.0.1:${port}/`).catch(() => null)) return storage
    await Bun.sleep(100)
  }
  storage.kill()
  throw new Error('The storage did not start within 10 seconds.')
}
