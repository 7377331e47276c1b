import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startOutbox } from '../../../src/features/account/outbox.ts'
import { chromiumPath, openChromium } from '../../chromium.ts'
import { testDatabase } from '../../database.ts'
import { testServer } from '../../http/testServer.ts'
import { checkOnScreens, pictures, signInAt } from '../account/screens.ts'
import { insertCompanies } from '../companies/fixtures.ts'

setDefaultTimeout(120_000)

const path = chromiumPath()
const database = await testDatabase()
await insertCompanies(database.sql)
const operator = {
  OPERATOR: 'Example Data Ltd 任天堂, 1 Example Street, London; the law of England and Wales',
}
const server = await testServer(database.sql, {}, operator)
const plain = await testServer(database.sql)
const stopOutbox = startOutbox(server.resources)
let browser: Browser

beforeAll(async () => {
  if (path !== null) browser = await openChromium(path)
})
afterAll(async () => {
  if (path !== null) await browser.close()
  await stopOutbox()
  await server.stop()
  await plain.stop()
  await database.close()
})

let visitors = 0

async function open(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    ...options,
    extraHTTPHeaders: { 'X-Forwarded-For': `10.71.0.${++visitors}` },
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    // A form that is refused is a page with its status, which the browser mentions.
    const isStatus = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isStatus) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    if (![server.url, plain.url].includes(new URL(request.url()).origin))
      complaints.push(`requests ${request.url()}`)
  })
  return { page, context, complaints }
}

const signIn = (page: Page, email: string, at = server) => signInAt(page, at, '/account/evaluation', email)

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('Your name').fill('Ana Álvarez')
  await page.getByLabel('Your title').fill('Head of Research')
  await page.getByLabel('Company', { exact: true }).fill('任天堂 Fund Ltd')
}

const licenceOf = async (key: string) => {
  const response = await fetch(`${server.url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } })
  return (await response.json()).licence
}

describe.skipIf(path === null)('the evaluation in a browser', () => {
  test('read, sign, see the key once, call the API with it, download the signed bytes; every page on every screen', async () => {
    const { page, context, complaints } = await open()
    await signIn(page, 'ana@mail.fund.co.uk')
    await checkOnScreens(page, 'evaluation-form')
    const shown = await page.getByText('SHA-256 of the order form above').locator('code').textContent()
    // Without the consent, the browser does not submit the form.
    await fillIn(page)
    await page.getByRole('button', { name: 'Sign', exact: true }).click()
    expect(page.url()).toEndWith('/account/evaluation')
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Sign', exact: true }).click()
    await page.waitForURL('**/account/api-keys')
    const field = page.getByLabel('The key', { exact: true })
    const key = await field.inputValue()
    expect(await licenceOf(key)).toBe('evaluation')
    await checkOnScreens(page, 'evaluation-key')
    await page.reload()
    expect(await field.count()).toBe(0)
    // A free key in addition.
    await page.getByRole('button', { name: 'Create the key' }).click()
    expect(await licenceOf(await field.inputValue())).toBe('free')
    expect(await licenceOf(key)).toBe('evaluation')
    await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Evaluation' }).click()
    await page.getByRole('heading', { name: 'Order 1: Evaluation' }).waitFor()
    await checkOnScreens(page, 'evaluation-signed')
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the signed document' }).click()
    const file = await (await downloading).path()
    const bytes = await Bun.file(file).bytes()
    expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex')).toBe(String(shown))
    const copy = () => server.terminal.find(text => text.includes('Your signed Evaluation Order Form'))
    for (let i = 0; i < 100 && copy() === undefined; i++) await Bun.sleep(50)
    expect(copy()).toContain(String(shown))
    expect(copy()).not.toContain(key)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('the second address of the domain and a free-mail address are refused, with the way to a free key', async () => {
    for (const [email, name, text] of [
      ['bo@fund.co.uk', 'evaluation-used', 'fund.co.uk has already used its evaluation.'],
      ['ana@gmail.com', 'evaluation-free-mail', 'Anyone can get an address at gmail.com'],
    ]) {
      const { page, context, complaints } = await open()
      await signIn(page, email)
      await page.getByText(text).waitFor()
      expect(await page.getByRole('checkbox').count()).toBe(0)
      await checkOnScreens(page, name)
      await page.getByRole('link', { name: 'Create a free key' }).click()
      await page.getByRole('button', { name: 'Create the key' }).click()
      expect(await licenceOf(await page.getByLabel('The key', { exact: true }).inputValue())).toBe('free')
      expect(complaints).toEqual([])
      await context.close()
    }
  })

  test('all of it works without script and on a narrow screen, and with the keyboard', async () => {
    const { page, context } = await open({ javaScriptEnabled: false, viewport: { width: 390, height: 800 } })
    await signIn(page, 'no@script.example')
    await fillIn(page)
    await page.getByRole('checkbox').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account/api-keys')
    const key = await page.getByLabel('The key', { exact: true }).inputValue()
    expect(await licenceOf(key)).toBe('evaluation')
    if (pictures !== null) await page.screenshot({ path: `${pictures}/noscript-key-390.png`, fullPage: true })
    await context.close()
  })

  test('a form that has changed meanwhile is shown again, with what was typed and without the consent', async () => {
    const { page, context } = await open()
    await signIn(page, 'cy@again.example')
    await fillIn(page)
    await page.getByRole('checkbox').check()
    await page.locator('input[name=version]').evaluate(field => field.setAttribute('value', '2020-01'))
    await page.getByRole('button', { name: 'Sign', exact: true }).click()
    await page.getByText('Read it again below, then sign.').waitFor()
    expect(await page.getByLabel('Your name').inputValue()).toBe('Ana Álvarez')
    expect(await page.getByRole('checkbox').isChecked()).toBe(false)
    await checkOnScreens(page, 'evaluation-again')
    await context.close()
  })

  test('a server without an operator says so', async () => {
    const { page, context } = await open()
    await signIn(page, 'di@unset.example', plain)
    await page.getByText('This server does not offer evaluations yet').waitFor()
    await checkOnScreens(page, 'evaluation-not-set-up')
    await context.close()
  })
})
