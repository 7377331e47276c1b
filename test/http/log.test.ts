import { expect, test } from 'bun:test'
import { makeKeyText } from '../../src/access/keyText.ts'
import { createLog } from '../../src/http/log.ts'

test('a key that finds its way into a log line is struck out; its prefix stays', () => {
  const lines: string[] = []
  const log = createLog('info', { write: line => lines.push(line) })
  const key = makeKeyText('live')
  log.error(
    { err: new Error(`no rows for ${key}`), nested: { query: `a=${key}&b=1` }, key: key.slice(0, 17) },
    key,
  )
  expect(lines.length).toBe(1)
  expect(lines[0]).not.toContain(key.slice(20, 40))
  expect(lines[0]).toContain('asf_live_[redacted]')
  expect(JSON.parse(lines[0]).key).toBe(key.slice(0, 17))
})
