import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '../../src/boot/database.ts'
import { readConfig } from '../../src/config.ts'
import { Failure } from '../../src/errors.ts'
import { serviceRole } from '../../src/postgres/embedded/roles.ts'
import { withoutPassword } from '../../src/postgres/errors.ts'
import { type TestDatabase, testDatabase } from '../database.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 180_000)
afterAll(() => db.close(), 60_000)

async function refusal(url: string): Promise<string> {
  try {
    const opened = await openDatabase(readConfig({ DATABASE_URL: url }), 0, () => {})
    await opened.close()
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
  return 'none'
}

const changed = (parts: Partial<Pick<URL, 'password' | 'pathname' | 'port'>>) =>
  Object.assign(new URL(db.url), parts).href

test('a failed connection is explained without showing the password', async () => {
  const { password, hostname, port } = new URL(db.url)
  const wrong = await refusal(changed({ password: 'not-the-password' }))
  const missing = await refusal(changed({ pathname: '/no-such-database' }))
  const closed = await refusal(changed({ port: '1' }))
  const nowhere = await refusal('postgres://a:hush@no-such-host.invalid/x')
  expect(wrong).toContain(`PostgreSQL at ${hostname}:${port}`)
  expect(wrong).toContain('refuses the login')
  expect(missing).toContain('createdb')
  expect(closed).toContain(`PostgreSQL at ${hostname}:1`)
  expect(nowhere).toContain('does not respond')
  for (const message of [wrong, missing, closed, nowhere]) {
    expect(message).not.toContain(password)
    expect(message).not.toMatch(/hush|not-the-password/)
  }
}, 30_000)

test('refuses a database that is not UTF-8 before writing to it', async () => {
  const name = `latin_${process.pid}`
  await db.admin.unsafe(
    `create database ${name} owner ${serviceRole} encoding 'SQL_ASCII' template template0 locale 'C'`,
  )
  try {
    expect(await refusal(changed({ pathname: `/${name}` }))).toContain('SQL_ASCII; UTF8 is required')
  } finally {
    await db.admin.unsafe(`drop database ${name}`)
  }
}, 30_000)

test('withoutPassword removes user and password from a URL', () => {
  expect(withoutPassword('postgres://u:p@h:5432/d?sslmode=require')).toBe('PostgreSQL at h:5432/d')
  expect(withoutPassword('postgresql://h/d')).toBe('PostgreSQL at h/d')
  expect(withoutPassword('postgres://u:p@one:1,two:2/d')).toBe('PostgreSQL at one:1,two:2/d')
})
