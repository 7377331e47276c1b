import { expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readConfig } from '../src/config.ts'
import { Failure } from '../src/errors.ts'

function faultsOf(settings: Record<string, string>): string[] {
  try {
    readConfig(settings)
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.message
      .split('\n')
      .slice(1)
      .map(line => line.trim())
  }
}

test('every fault is reported at once, by the name of its setting', () => {
  const faults = faultsOf({
    HOST: 'not a host',
    PORT: 'abc',
    BASE_URL: 'foo',
    DATABASE_URL: 'mysql://x',
    BODY_LIMIT_MB: '-1',
    COMPUTE_THREADS: '0',
    ALLOW_UNVERIFIED_MARKETS: 'FR,France',
    LOG_LEVEL: 'loud',
  })
  expect(faults.map(fault => /^[A-Z_]+/.exec(fault)?.[0]).sort()).toEqual([
    'ALLOW_UNVERIFIED_MARKETS',
    'BASE_URL',
    'BODY_LIMIT_MB',
    'COMPUTE_THREADS',
    'DATABASE_URL',
    'HOST',
    'LOG_LEVEL',
    'PORT',
  ])
})

test('a fault of DATABASE_URL does not show its password', () => {
  expect(faultsOf({ DATABASE_URL: 'postgres://a:secret@127.0.0.1:99999/x' }).join()).toMatch(
    /^DATABASE_URL(?!.*secret)/,
  )
  expect(faultsOf({ DATABASE_URL: 'postgres://a:b@one:5432,two:5433/x' })).toEqual([])
})

test('BULK_URL names a bucket and needs a key, and its faults show neither', () => {
  const key = { AWS_ACCESS_KEY_ID: 'AKIAPUBLIC', AWS_SECRET_ACCESS_KEY: 'sesame' }
  expect(readConfig({ BULK_URL: 's3://figures/asfiled/daily/', ...key }).bulkBucket).toEqual({
    bucket: 'figures',
    prefix: 'asfiled/daily/',
    endpoint: null,
    region: 'us-east-1',
    accessKeyId: 'AKIAPUBLIC',
    secretAccessKey: 'sesame',
    sessionToken: null,
  })
  expect(readConfig({ BULK_URL: 's3://figures', ...key }).bulkBucket?.prefix).toBe('')
  expect(readConfig(key).bulkBucket).toBeNull()
  expect(faultsOf({ BULK_URL: 's3://figures' })).toEqual([
    expect.stringMatching(/^BULK_URL needs a key: set AWS_ACCESS_KEY_ID/),
  ])
  for (const url of [
    'https://figures',
    's3://',
    's3://a/../b',
    's3://UPPER/x',
    's3://figures/a//b',
    's3:figures',
  ])
    expect(faultsOf({ BULK_URL: url, ...key })).toEqual([
      expect.stringMatching(/^BULK_URL(?!.*(?:AKIA|sesame))/),
    ])
  for (const endpoint of ['http://u:sesame@:x', 'https://u:sesame@storage.example.com'])
    expect(faultsOf({ BULK_URL: 's3://figures', ...key, AWS_ENDPOINT_URL: endpoint })).toEqual([
      expect.stringMatching(/^AWS_ENDPOINT_URL(?!.*sesame)/),
    ])
})

test('MAIL_URL needs a sender that is one address, and a fault of it does not show its password', () => {
  const url = 'smtps://me:secret@mail.example.com:465'
  expect(faultsOf({ MAIL_URL: url, MAIL_FROM: 'Data service <data@example.com>' })).toEqual([])
  expect(faultsOf({ MAIL_URL: url, MAIL_FROM: 'data@example.com' })).toEqual([])
  expect(faultsOf({ MAIL_URL: url })).toEqual([expect.stringContaining('but MAIL_FROM is not')])
  expect(faultsOf({ MAIL_URL: 'me:secret@mail', MAIL_FROM: 'a@b.c' }).join()).toMatch(/^MAIL_URL(?!.*secret)/)
  for (const from of [
    'data',
    'a@b.c, d@e.f',
    'a@b.c\r\nBcc: eve@evil.example',
    '"x" <a@b.c>',
    '<a@b.c> x',
    'x, y <a@b.c>',
  ])
    expect([from, faultsOf({ MAIL_FROM: from })[0]]).toEqual([from, expect.stringContaining('MAIL_FROM=')])
})

test('DATA_DIR is next to package.json by default; a relative one counts from the current folder', () => {
  const root = resolve(import.meta.dir, '..')
  const current = process.cwd()
  try {
    process.chdir(tmpdir())
    expect(readConfig({}).dataDir).toBe(join(root, '.data'))
    expect(readConfig({ DATA_DIR: '' }).dataDir).toBe(join(root, '.data'))
    expect(readConfig({ DATA_DIR: 'own/data' }).dataDir).toBe(join(process.cwd(), 'own/data'))
    expect(readConfig({ DATA_DIR: '/var/lib/asfiled' }).dataDir).toBe('/var/lib/asfiled')
  } finally {
    process.chdir(current)
  }
})

test('a setting that was removed is named, and stops nothing', () => {
  expect(readConfig({ DRAIN_TIMEOUT_MS: 'x', METRICS_HOST: '0.0.0.0', PORT: '1' }).ignoredSettings).toEqual([
    'DRAIN_TIMEOUT_MS',
    'METRICS_HOST',
  ])
  expect(readConfig({ DRAIN_TIMEOUT_MS: '' }).ignoredSettings).toEqual([])
})

test('REGISTERS_URL stands for all registers', () => {
  const { registers } = readConfig({ REGISTERS_URL: 'https://mirror.example/' })
  expect(registers).toMatchObject({
    SEC_URL: 'https://mirror.example/sec',
    VIRK_DOCUMENTS_URL: 'https://mirror.example/virk-documents',
  })
  expect(readConfig({}).registers.SEC_URL).toBe('https://www.sec.gov')
  expect(faultsOf({ REGISTERS_URL: 'mirror' })).toEqual([expect.stringContaining('REGISTERS_URL')])
})

test('the base URL follows HOST and PORT, or is BASE_URL without its last slash', () => {
  const base = (settings: Record<string, string>) => readConfig(settings).baseUrl
  expect(base({})).toBe('http://127.0.0.1:3000')
  expect(base({ HOST: '0.0.0.0', PORT: '80' })).toBe('http://localhost:80')
  expect(base({ HOST: '::1' })).toBe('http://[::1]:3000')
  expect(base({ BASE_URL: 'https://data.example.com/' })).toBe('https://data.example.com')
})

test('every setting is in .env.example with the default that the code has', async () => {
  const text = await Bun.file(new URL('../.env.example', import.meta.url)).text()
  const named = Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(match => [match[1], match[2]]),
  )
  expect(readConfig(named)).toEqual(readConfig({}))
  const sources = ['config', 'registerSettings'].map(name => new URL(`../src/${name}.ts`, import.meta.url))
  const source = (await Promise.all(sources.map(url => Bun.file(url).text()))).join('\n')
  const read = [...source.matchAll(/(?:text|list|integer)\('([A-Z_]+)'/g)].map(match => match[1])
  expect([...new Set([...read, 'DATABASE_URL'])].sort()).toEqual(Object.keys(named).sort())
})

test('OPERATOR is a name and a law, one line each, because both appear in the contract that people sign', () => {
  expect(readConfig({})).toMatchObject({ operatorName: null, operatorLaw: null })
  expect(readConfig({ OPERATOR: '任天堂 Data Ltd, 1 Example Street ;  the law of Japan' })).toMatchObject({
    operatorName: '任天堂 Data Ltd, 1 Example Street',
    operatorLaw: 'the law of Japan',
  })
  const long = 'x'.repeat(300)
  expect(faultsOf({ OPERATOR: `${long};${long}` })).toEqual([])
  for (const operator of [
    'Data Ltd',
    'Data Ltd;',
    '; the law of Japan',
    'a; b; c',
    'a\nb; c',
    'a; b\u202ec',
    `${long}x; b`,
    `a; ${long}x`,
  ])
    expect([operator, faultsOf({ OPERATOR: operator })]).toEqual([
      operator,
      [expect.stringMatching(/^OPERATOR must name/)],
    ])
})

test('METRICS_PORT is a port of this machine, or an address and a port', () => {
  const metrics = (text: string) => {
    const { metricsHost, metricsPort } = readConfig({ METRICS_PORT: text })
    return [metricsHost, metricsPort]
  }
  expect(metrics('')).toEqual(['127.0.0.1', null])
  expect(metrics('9464')).toEqual(['127.0.0.1', 9464])
  expect(metrics('0.0.0.0:9464')).toEqual(['0.0.0.0', 9464])
  expect(metrics('monitor.example:0')).toEqual(['monitor.example', 0])
  expect(metrics('[::1]:9464')).toEqual(['::1', 9464])
  for (const odd of ['abc', '70000', '::1:9464', ':9464', 'host:', '10.0.0.5:9464 x'])
    expect([odd, faultsOf({ METRICS_PORT: odd })]).toEqual([odd, [expect.stringContaining('METRICS_PORT=')]])
})

test('operators are e-mail addresses, in any case; what is none is named', () => {
  expect(readConfig({ ADMIN_EMAILS: ' Ana@Fund.example , bo@fund.example,' }).adminEmails).toEqual([
    'ana@fund.example',
    'bo@fund.example',
  ])
  expect(readConfig({}).adminEmails).toEqual([])
  for (const odd of [
    'ana',
    'ana@',
    '@fund.example',
    'ana@fund',
    'Ana <ana@fund.example>',
    '*@fund.example;x',
  ])
    expect(faultsOf({ ADMIN_EMAILS: `bo@fund.example,${odd}` })).toEqual([
      expect.stringMatching(/^ADMIN_EMAILS/),
    ])
})
