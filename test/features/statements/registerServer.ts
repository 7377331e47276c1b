import { afterAll, expect } from 'bun:test'
import type { IsoDate } from '../../../src/dates.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import type { Register } from '../../../src/ingest/registers/registerInterface.ts'
import { watchDataVersion } from '../../../src/postgres/dataVersion.ts'
import { testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { testServer } from '../../http/testServer.ts'

export interface Service {
  ask<Answer>(path: string): Promise<Answer>
  text(path: string): Promise<string>
}

/** Files of a register as they were read on a day. */
export interface Pull {
  readonly paths: readonly string[]
  readonly observedOn: IsoDate
}

/** Makes servers over fresh databases with some files of a register. They stop with the test file. */
export function registerServers() {
  const opened: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const close of opened) await close()
  }, 60_000)
  return async (
    register: Register,
    files: readonly string[] | readonly Pull[],
    today: IsoDate = '2026-07-01',
  ): Promise<Service> => {
    const { sql, close } = await testDatabase()
    const paths = files.filter(file => typeof file === 'string')
    const pulls = files.filter(file => typeof file !== 'string')
    for (const pull of paths.length > 0 ? [{ paths, observedOn: '2026-06-01' }] : pulls) {
      const { read } = await importRegister(sql, register, pull, () => {})
      expect([read.skipped, read.malformed]).toEqual([[], 0])
    }
    const watch = await watchDataVersion(sql, () => {})
    const server = await testServer(sql, { dataVersion: watch.current, today: () => today })
    let key = ''
    opened.push(async () => {
      await server.stop()
      await watch.close()
      await close()
    })
    let requests = 0
    const text = async (path: string) => {
      // A key has 300 requests a minute.
      if (requests++ % 300 === 0) key = await sellKey(sql, { licence: 'personal' })
      const headers = {
        Authorization: `Bearer ${key}`,
        'X-Forwarded-For': `10.9.${requests >> 8}.${requests & 255}`,
      }
      const response = await fetch(`${server.url}/api/v1/${path}`, { headers })
      const body = await response.text()
      expect([path, response.status, response.status === 200 ? '' : body]).toEqual([path, 200, ''])
      return body
    }
    return { text, ask: async <Answer>(path: string): Promise<Answer> => JSON.parse(await text(path)) }
  }
}
