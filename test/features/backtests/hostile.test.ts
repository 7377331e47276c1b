import { afterAll, describe, expect, test } from 'bun:test'
import { startServer } from '../../../src/boot/startServer.ts'
import { readConfig } from '../../../src/config.ts'
import { testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { testToday } from '../../http/testServer.ts'

const database = await testDatabase()
const settings = { DATABASE_URL: database.url, PORT: '0', COMPUTE_THREADS: '1', LOG_LEVEL: 'silent' }
const server = await startServer(
  readConfig(settings),
  () => testToday,
  () => {},
)
afterAll(async () => {
  await server.stop()
  await database.close()
}, 30_000)
const key = async () =>
  `Bearer ${await sellKey(database.sql, { licence: 'oem', quant: true, perMinute: 100_000 })}`
const mine = await key()
const theirs = await key()

function ask(
  method: string,
  path: string,
  init: { key?: string; body?: string; headers?: HeadersInit } = {},
) {
  const headers = new Headers(init.headers)
  headers.set('Authorization', init.key ?? mine)
  if (init.body !== undefined && !headers.has('content-type')) headers.set('Content-Type', 'application/json')
  return fetch(server.address + path, {
    method,
    headers,
    ...(init.body === undefined ? {} : { body: init.body }),
  })
}

const scripts = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'-alert(1)-'",
  '</style><svg/onload=1>',
]

function panelOf(asset: string, market: string): string {
  const rows = [2, 3, 4, 5, 8, 9].flatMap(day =>
    [asset, 'B', 'C', 'D'].map((name, place) => ({
      date: `2024-01-0${day}`,
      asset: name,
      market,
      score: place,
      forward_return: (place - 1) / 100,
    })),
  )
  return JSON.stringify({ config: { quantile: 0.25 }, panel: rows, include: ['positions', 'ic'] })
}

describe('a page of a backtest', () => {
  for (const script of scripts) {
    test(`shows ${script} as text, and its policy would run nothing`, async () => {
      const response = await ask('POST', '/api/v1/backtest?format=html', {
        body: panelOf(script, script.slice(0, 8)),
      })
      const page = await response.text()
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      expect(page).not.toContain(script)
      expect(page).not.toMatch(/<script|<img|<svg\/|href="javascript:/i)
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toContain("script-src 'unsafe-inline'")
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    })
  }

  test('whose request is at fault is an error in JSON, whatever the request holds', async () => {
    for (const script of scripts) {
      const body = JSON.stringify({ config: { [script]: 1 } })
      const response = await ask('POST', '/api/v1/backtest', { body, headers: { Accept: 'text/html' } })
      expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json'])
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })
})

describe('what another key submitted', () => {
  const submit = async () => {
    const response = await ask('POST', '/api/v1/backtest', {
      body: panelOf('A', 'US'),
      headers: { Prefer: 'respond-async' },
    })
    expect(response.status).toBe(202)
    return (await response.json()).id as string
  }

  test('is not there: not to read, to cancel, to follow, by any method', async () => {
    const id = await submit()
    for (const [method, path] of [
      ['GET', `/api/v1/backtests/${id}`],
      ['HEAD', `/api/v1/backtests/${id}`],
      ['DELETE', `/api/v1/backtests/${id}`],
      ['GET', `/api/v1/backtests/${id}/events`],
    ]) {
      const response = await ask(method, path, { key: theirs })
      expect([method, path, response.status]).toEqual([method, path, 404])
      await response.text()
    }
    const any = await ask('GET', `/api/v1/backtests/${id}`, {
      key: theirs,
      headers: { 'If-None-Match': '*' },
    })
    expect(any.status).toBe(404)
    const { data } = await (await ask('GET', '/api/v1/backtests', { key: theirs })).json()
    expect(JSON.stringify(data)).not.toContain(id)
    expect((await ask('GET', `/api/v1/backtests/${id}`)).status).toBe(200)
  })

  test('does not answer for an idempotency key of the same name', async () => {
    const headers = { 'Idempotency-Key': 'shared-name' }
    const first = await ask('POST', '/api/v1/backtest', { body: panelOf('A', 'US'), headers })
    const second = await ask('POST', '/api/v1/backtest', { body: panelOf('B2', 'US'), headers, key: theirs })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.headers.get('idempotency-replayed')).toBeNull()
    await Promise.all([first.text(), second.text()])
  })

  test('an id that is none is refused, and reaches no statement', async () => {
    for (const id of [
      '1',
      '%00',
      "'%20or%201=1--",
      'null',
      '00000000-0000-0000-0000-00000000000',
      'a'.repeat(5_000),
      '%ED%A0%80',
    ]) {
      for (const path of [`/api/v1/backtests/${id}`, `/api/v1/backtests/${id}/events`]) {
        const response = await ask('GET', path)
        expect([path.slice(0, 60), response.status]).toEqual([path.slice(0, 60), 400])
        await response.text()
      }
    }
  })

  test('HEAD of its events keeps no listener', async () => {
    const id = await submit()
    for (let n = 0; n < 20; n++) {
      const response = await ask('HEAD', `/api/v1/backtests/${id}/events`)
      expect([n, response.status]).toEqual([n, 200])
    }
    const leaving = new AbortController()
    const followed = await fetch(`${server.address}/api/v1/backtests/${id}/events`, {
      headers: { Authorization: mine },
      signal: leaving.signal,
    })
    expect(followed.status).toBe(200)
    leaving.abort()
  })
})

describe('the headers of a submission', () => {
  test('Prefer and Idempotency-Key in odd forms are a preference or a 400', async () => {
    for (const prefer of [
      'respond-async;wait=1e999',
      ',,,',
      'respond-async, respond-async',
      'RESPOND-ASYNC',
      'x'.repeat(9_000),
    ]) {
      const response = await ask('POST', '/api/v1/backtest', {
        body: panelOf('A', 'US'),
        headers: { Prefer: prefer },
      })
      expect([200, 202]).toContain(response.status)
      await response.text()
    }
    for (const idempotency of ['a b', '\u00ff', 'x'.repeat(256), '\ta\t b']) {
      const headers = { 'Idempotency-Key': idempotency }
      const response = await ask('POST', '/api/v1/backtest', { body: '{}', headers })
      expect([response.status, (await response.json()).error.param]).toEqual([400, 'Idempotency-Key'])
    }
  })
})
