import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { chromiumPath, openChromium } from '../../chromium.ts'
import { testDatabase } from '../../database.ts'
import { testServer } from '../../http/testServer.ts'
import { insertCompanies } from '../companies/fixtures.ts'
import { codeFor } from './browser.ts'
import { checkOnScreens, signInAt } from './screens.ts'

setDefaultTimeout(120_000)

const path = chromiumPath()
const database = await testDatabase()
await insertCompanies(database.sql)
const server = await testServer(database.sql)
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

/** A page in a browser on its own network, and the errors that the page reports. */
async function open(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    ...options,
    extraHTTPHeaders: { 'X-Forwarded-For': `10.70.0.${++visitors}` },
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    const { origin } = new URL(request.url())
    if (origin !== server.url) complaints.push(`requests ${request.url()}`)
  })
  return { page, context, complaints }
}

const signIn = (page: Page, email: string) => signInAt(page, server, '/account/api-keys', email)

describe.skipIf(path === null)('the account in a browser', () => {
  test('sign up, make a key, call the API with it, rotate and revoke; every page on every screen', async () => {
    const { page, context, complaints } = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`${server.url}/sign-in`)
    await checkOnScreens(page, 'sign-in')
    await page.getByLabel('E-mail address').fill('ana@fund.example')
    await page.getByRole('button', { name: 'Send the code' }).click()
    await page.waitForURL('**/sign-in/code**')
    await checkOnScreens(page, 'code')
    await page.goto('about:blank')
    await signIn(page, 'ana@fund.example')
    await checkOnScreens(page, 'keys-none')
    await page.getByLabel('Name (optional)').fill('Research desk')
    await page.getByRole('button', { name: 'Create the key' }).click()
    const field = page.getByLabel('The key', { exact: true })
    const key = await field.inputValue()
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied.').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
    await checkOnScreens(page, 'keys-new')
    for (let i = 0; i < 3; i++) {
      const response = await fetch(`${server.url}/api/v1/coverage/AAPL`, {
        headers: { Authorization: `Bearer ${key}` },
      })
      expect(response.status).toBe(200)
    }
    await page.reload()
    expect(await field.count()).toBe(0)
    await page.getByText('Rotate', { exact: true }).click()
    await page.getByRole('button', { name: 'Rotate the key' }).click()
    expect(await field.inputValue()).not.toBe(key)
    await page.reload()
    await page.getByText('This key has been replaced.').waitFor()
    await checkOnScreens(page, 'keys-rotated')
    await page.getByText('Revoke', { exact: true }).last().click()
    await page.getByRole('button', { name: 'Revoke the key' }).last().click()
    await page.getByRole('heading', { name: 'Ended keys' }).waitFor()
    await checkOnScreens(page, 'keys-ended')
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('img', { name: 'Requests per day' }).waitFor()
    await checkOnScreens(page, 'usage')
    await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Account' }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await checkOnScreens(page, 'account')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('all of it works without script', async () => {
    const { page, context } = await open({ javaScriptEnabled: false })
    await signIn(page, 'noscript@plain.example')
    await page.getByRole('button', { name: 'Create the key' }).click()
    expect(await page.getByLabel('The key', { exact: true }).inputValue()).toStartWith('asf_live_')
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    await page.getByText('Revoke', { exact: true }).click()
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await page.getByRole('heading', { name: 'Ended keys' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await context.close()
  })

  test('all of it is reached with the keyboard', async () => {
    const { page, context } = await open()
    await signIn(page, 'keys@board.example')
    await page.getByLabel('Name (optional)').focus()
    await page.keyboard.type('Keyboard')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your new key' }).waitFor()
    await page.getByText('Rotate', { exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('This key has been replaced.').waitFor()
    expect(await page.getByText('This key has been replaced.').isVisible()).toBe(true)
    await context.close()
  })

  test('a wrong code and a form of another site are said in words, and a name is text', async () => {
    const { page, context } = await open()
    await page.goto(`${server.url}/sign-in`)
    await page.getByLabel('E-mail address').fill('wrong@code.example')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sign-in/code**')
    await page
      .getByLabel('Code')
      .fill(codeFor(server.terminal, 'wrong@code.example') === '000000' ? '1' : '000000')
    await page.keyboard.press('Enter')
    await page.getByText('That code is wrong. You have 4 attempts left.').waitFor()
    await checkOnScreens(page, 'code-wrong')
    await signIn(page, 'site@other.example')
    const form = `<form method="post" action="${server.url}/account/api-keys"><button>Go</button></form>`
    const evil = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(form, { headers: { 'Content-Type': 'text/html' } }),
    })
    await page.goto(`http://localhost:${evil.port}/`).catch(() => page.goto(`http://127.0.0.1:${evil.port}/`))
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByText('This form was not sent from a page of this service.').waitFor()
    await checkOnScreens(page, 'refused')
    await page.goto(`${server.url}/account/api-keys`)
    await page.getByRole('button', { name: 'Create the key' }).waitFor()
    await evil.stop(true)
    await context.close()
  })
})
