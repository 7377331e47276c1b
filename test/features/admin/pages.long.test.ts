import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { chromiumPath, openChromium } from '../../chromium.ts'
import { testDatabase } from '../../database.ts'
import { testServer } from '../../http/testServer.ts'
import { checkOnScreens, signInAt } from '../account/screens.ts'

setDefaultTimeout(120_000)

const path = chromiumPath()
const database = await testDatabase()
const today = new Date().toISOString().slice(0, 10)
const admin = 'boss@operator.example'
const server = await testServer(database.sql, { today: () => today }, { ADMIN_EMAILS: admin })
let browser: Browser

beforeAll(async () => {
  if (path !== null) browser = await openChromium(path)
})
afterAll(async () => {
  if (path !== null) await browser.close()
  await server.stop()
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
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  return { page, context, complaints }
}

const signIn = (page: Page, email: string, path: string) => signInAt(page, server, path, email)

const me = async (key: string) => {
  const answer = await fetch(`${server.url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } })
  return answer.json()
}

async function request(page: Page, licence: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Licence' }).selectOption(licence)
  await page.getByLabel('Company or name').fill('Fund & Partners Ltd')
  await page
    .getByLabel('What will you use it for?')
    .fill('Monthly screens of European industrials.\nTwo analysts.')
  await page.getByRole('button', { name: 'Send the request' }).click()
  await page.getByRole('heading', { name: 'Your requests' }).waitFor()
}

describe.skipIf(path === null)('licences in a browser', () => {
  test('request, grant by an operator, and the key works with the new limits; every page on every screen', async () => {
    const holder = await open()
    await signIn(holder.page, 'ana@fund.example', '/account/licences')
    await checkOnScreens(holder.page, 'licences-none')
    await request(holder.page, 'commercial')
    await checkOnScreens(holder.page, 'licences-open')

    const boss = await open()
    await signIn(boss.page, admin, '/admin')
    await checkOnScreens(boss.page, 'admin-overview')
    await boss.page.getByRole('link', { name: 'Commercial' }).click()
    await checkOnScreens(boss.page, 'admin-request')
    await boss.page.getByLabel('Last day').fill(`${Number(today.slice(0, 4)) + 1}-12-31`)
    await boss.page.getByRole('button', { name: 'Grant the licence' }).click()
    await boss.page.getByText(`Granted by ${admin}`).waitFor()
    await checkOnScreens(boss.page, 'admin-request-granted')

    await holder.page.goto(`${server.url}/account/api-keys`)
    await holder.page.getByText('You have been granted this licence.').waitFor()
    await checkOnScreens(holder.page, 'keys-granted')
    await holder.page.getByRole('button', { name: 'Create the key' }).first().click()
    const key = await holder.page.getByLabel('The key', { exact: true }).inputValue()
    expect(await me(key)).toMatchObject({ licence: 'commercial', limits: { minute: 1000, day: null } })
    await holder.page.goto(`${server.url}/account/licences`)
    await checkOnScreens(holder.page, 'licences-granted')
    await request(holder.page, 'redistribution')

    await boss.page.getByRole('link', { name: 'ana@fund.example' }).first().click()
    await checkOnScreens(boss.page, 'admin-account')
    await boss.page.getByText('Extend', { exact: true }).click()
    await boss.page.getByLabel('New last day of grant').fill(`${Number(today.slice(0, 4)) + 3}-12-31`)
    await boss.page.getByRole('button', { name: 'Extend the grant' }).click()
    await boss.page
      .getByText(`to ${Number(today.slice(0, 4)) + 3}-12-31`)
      .first()
      .waitFor()
    // Less for the same days is refused in words, with what was typed still in the form.
    await boss.page.getByLabel('Key', { exact: true }).selectOption(key.slice(0, 17))
    await boss.page.getByRole('button', { name: 'Grant the licence' }).click()
    await boss.page.getByText('what was sold is never lowered').waitFor()
    await checkOnScreens(boss.page, 'admin-account-refused')
    await boss.page.goto(`${server.url}/admin/accounts`)
    await checkOnScreens(boss.page, 'admin-accounts')
    await boss.page.goto(`${server.url}/admin/requests`)
    await checkOnScreens(boss.page, 'admin-requests')
    await boss.page.goto(`${server.url}/admin/keys`)
    await checkOnScreens(boss.page, 'admin-keys')
    await boss.page.getByText('Revoke', { exact: true }).click()
    await boss.page.getByRole('button', { name: `Revoke ${key.slice(0, 17)}` }).click()
    await boss.page.waitForURL('**/admin/accounts/*')
    expect(await me(key)).toMatchObject({ error: { code: 'key_revoked' } })
    // The browser logs a response with status 409. It must log nothing else.
    expect([...holder.complaints, ...boss.complaints].filter(text => !text.includes('409'))).toEqual([])
    await holder.context.close()
    await boss.context.close()
  })

  test('all of it works without script', async () => {
    const holder = await open({ javaScriptEnabled: false })
    await signIn(holder.page, 'plain@fund.example', '/account/licences')
    await request(holder.page, 'personal')
    const boss = await open({ javaScriptEnabled: false })
    await signIn(boss.page, admin, '/admin/requests')
    await boss.page
      .getByRole('row', { name: 'plain@fund.example' })
      .getByRole('link', { name: 'Personal' })
      .click()
    await boss.page.getByRole('button', { name: 'Grant the licence' }).click()
    await boss.page.getByText(`Granted by ${admin}`).waitFor()
    await holder.page.goto(`${server.url}/account/api-keys`)
    await holder.page.getByRole('button', { name: 'Create the key' }).first().click()
    const key = await holder.page.getByLabel('The key', { exact: true }).inputValue()
    expect(await me(key)).toMatchObject({ licence: 'personal', limits: { minute: 300, day: null } })
    await holder.page.goto(`${server.url}/account/licences`)
    await request(holder.page, 'oem')
    await holder.page.getByRole('button', { name: 'Withdraw' }).click()
    await holder.page.getByText('Withdrawn').first().waitFor()
    await boss.page.goto(`${server.url}/admin/requests?state=all`)
    await boss.page.getByText('Withdrawn').waitFor()
    await holder.context.close()
    await boss.context.close()
  })

  test('a person who is no operator finds no page there', async () => {
    const { page, context } = await open()
    await signIn(page, 'curious@fund.example', '/account/licences')
    const answer = await page.goto(`${server.url}/admin`)
    await page.getByText('There is no route GET /admin.').waitFor()
    expect(answer?.status()).toBe(404)
    await context.close()
  })
})
