import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { chromiumPath, openChromium } from '../../chromium.ts'
import { testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { testServer } from '../testServer.ts'

setDefaultTimeout(180_000)

const path = chromiumPath()
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const database = await testDatabase()
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

interface Visit {
  page: Page
  context: BrowserContext
  /** Errors of the page, and requests to another host. */
  complaints: string[]
}

async function visit(route: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== server.url && protocol !== 'data:') complaints.push(`asks for ${request.url()}`)
  })
  await page.goto(server.url + route)
  if (route.startsWith('/docs#') || route === '/docs') await page.locator('.opblock').first().waitFor()
  return { page, context, complaints }
}

const summaryOf = (page: Page, operation: string) =>
  page.locator(`#operations-${operation} button.opblock-summary-control`)

async function openOperation(page: Page, operation: string): Promise<void> {
  await summaryOf(page, operation).click()
  await page.locator(`#operations-${operation} .responses-wrapper`).waitFor()
}

/** Changes the system's theme. The page hears of it a moment later. */
async function setSystemTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.waitForFunction(
    scheme => document.documentElement.classList.contains(`${scheme}-mode`),
    colorScheme,
  )
}

const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
const light = 'rgb(255, 255, 255)'
const dark = 'rgb(28, 32, 34)'

const screens = [1280, 390].flatMap(width =>
  (['light', 'dark'] as const).map(colorScheme => ({ width, colorScheme })),
)

/** On each screen: how far the page is wider, and whether it has the colours of the theme. */
async function looks(page: Page): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const { width, colorScheme } of screens) {
    await page.setViewportSize({ width, height: 900 })
    await setSystemTheme(page, colorScheme)
    const overflow = await page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
    const isThemed = (await background(page)) === (colorScheme === 'light' ? light : dark)
    seen.push({ width, colorScheme, overflow, isThemed })
  }
  return seen
}

const asItShould = screens.map(screen => ({ ...screen, overflow: 0, isThemed: true }))

const guides = nonEmpty(new Bun.Glob('*.md').scanSync(resolve(import.meta.dir, '../../../docs')))
  .map(file => `/docs/guides/${file.slice(0, -'.md'.length)}`)
  .toSorted()

describe.skipIf(path === null)('the documents in a browser', () => {
  for (const route of ['/docs/errors#key_unknown', '/docs/guides', '/docs/guides/start', ...guides]) {
    test(`${route}: on a desktop and a phone, light and dark, nothing overflows or logs an error`, async () => {
      const { page, context, complaints } = await visit(route)
      expect(await looks(page)).toEqual(asItShould)
      expect(complaints).toEqual([])
      await context.close()
    })
  }

  test('/docs: the same, with operations open and an answer in one of them', async () => {
    const { page, context, complaints } = await visit('/docs')
    expect(await looks(page)).toEqual(asItShould)
    await openOperation(page, 'Backtest-runBacktest')
    await openOperation(page, 'Signals-getSignals')
    const operation = page.locator('#operations-Signals-getSignals')
    await operation.locator('.execute').click()
    await operation.locator('.live-responses-table').waitFor()
    await operation.locator('.tablinks[data-name=model]').click()
    expect(await looks(page)).toEqual(asItShould)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('the theme follows the system until one is chosen, which every page then has', async () => {
    const { page, context } = await visit('/docs/errors', { colorScheme: 'light' })
    expect(await background(page)).toBe(light)
    await setSystemTheme(page, 'dark')
    expect(await background(page)).toBe(dark)
    await page.getByLabel('Theme').selectOption('Light')
    expect(await background(page)).toBe(light)
    await page.goto(`${server.url}/docs`)
    expect(await background(page)).toBe(light)
    expect(await page.evaluate(() => document.documentElement.className)).toBe('light-mode')
    await page.getByLabel('Theme').selectOption('System')
    expect(await background(page)).toBe(dark)
    await context.close()
  })

  test('an operation names its errors in one link to the page that explains them', async () => {
    const { page, context } = await visit('/docs')
    await openOperation(page, 'Fundamentals-getFundamentals')
    const operation = page.locator('#operations-Fundamentals-getFundamentals')
    expect(await operation.locator('.response-col_status').allTextContents()).toEqual(['Code', '200', '304'])
    const link = operation.getByRole('link', { name: 'Errors' })
    expect(await link.getAttribute('href')).toBe('/docs/errors')
    expect(await link.locator('..').textContent()).toBe(
      'Errors of this operation: 400, 401, 403, 404, 429, 500, 503',
    )
    await context.close()
  })

  test('everything is reached with the keyboard', async () => {
    const { page, context } = await visit('/docs')
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to the content' })
    expect(await skip.evaluate(element => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('key')
    await summaryOf(page, 'Search-search').focus()
    await page.keyboard.press('Enter')
    await page.locator('#operations-Search-search .execute').waitFor()
    await page.locator('#operations-Search-search .execute').focus()
    await page.keyboard.press('Enter')
    await page.locator('#operations-Search-search .live-responses-table').waitFor()
    await context.close()
  })
})

interface AxeResult {
  readonly violations: {
    readonly id: string
    readonly impact: string | null
    readonly nodes: { readonly html: string }[]
  }[]
}

/** The serious findings of axe-core. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const result = await page.evaluate<AxeResult>('axe.run(document, { resultTypes: ["violations"] })')
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(node => `${id}: ${node.html.slice(0, 160)}`))
}

describe.skipIf(path === null)('axe finds nothing serious', () => {
  for (const { width, colorScheme } of screens) {
    test(`on /docs at ${width}, ${colorScheme}, closed, and with operations open, answered and reset`, async () => {
      const { page, context } = await visit('/docs', { viewport: { width, height: 900 }, colorScheme })
      expect(await findings(page)).toEqual([])
      await openOperation(page, 'Backtest-runBacktest')
      await openOperation(page, 'Signals-getSignals')
      const operation = page.locator('#operations-Signals-getSignals')
      await operation.locator('.execute').click()
      await operation.locator('.live-responses-table').waitFor()
      await page.locator('#operations-Backtest-runBacktest .body-param__text[aria-label]').waitFor()
      await operation.locator('.live-responses-table pre[tabindex]').first().waitFor()
      expect(await findings(page)).toEqual([])
      // "Try it out" is on from the start: the button cancels it, and is then the one that starts it again.
      await operation.getByRole('button', { name: 'Cancel' }).click()
      const tryIt = operation.getByRole('button', { name: 'Try it out' })
      await tryIt.waitFor()
      expect(await findings(page)).toEqual([])
      await tryIt.click()
      await operation.locator('.execute').waitFor()
      expect(await findings(page)).toEqual([])
      await context.close()
    })

    test(`on /docs/metrics at ${width}, ${colorScheme}`, async () => {
      const { page, context } = await visit('/docs/metrics', {
        viewport: { width, height: 900 },
        colorScheme,
      })
      expect(await findings(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
      await context.close()
    })
  }
})

describe.skipIf(path === null)('the key on /docs', () => {
  /** The Authorization header that a try of an operation sends. */
  async function sentKey(page: Page): Promise<string | undefined> {
    const operation = page.locator('#operations-Signals-getSignals')
    if ((await operation.locator('.execute').count()) === 0) await openOperation(page, 'Signals-getSignals')
    const request = page.waitForRequest(/\/api\/v1\/signals/)
    await operation.locator('.execute').click()
    return (await request).headers().authorization
  }

  test('is demo where the field is empty, and otherwise what it has, without logging out of anything', async () => {
    const { page, context } = await visit('/docs')
    expect(await sentKey(page)).toBe('Bearer demo')
    await page.getByLabel('API key').fill(' asf_live_mine ')
    expect(await sentKey(page)).toBe('Bearer asf_live_mine')
    await page.getByLabel('API key').fill('')
    expect(await sentKey(page)).toBe('Bearer demo')
    expect(await page.locator('.authorize').count()).toBe(0)
    await context.close()
  })

  test('is hidden until it is shown, in the commands too', async () => {
    const { page, context } = await visit('/docs')
    const field = page.getByLabel('API key')
    await field.fill('asf_live_mine')
    expect(await field.getAttribute('type')).toBe('password')
    await sentKey(page)
    const command = page.locator('#operations-Signals-getSignals .curl-command')
    await command.waitFor()
    expect(await command.textContent()).toContain('Bearer <API_KEY>')
    expect(await page.locator('#main').textContent()).not.toContain('asf_live_mine')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    expect(await field.getAttribute('type')).toBe('text')
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    expect(await field.getAttribute('type')).toBe('password')
    await context.close()
  })

  test('is remembered for the session of this tab and no longer', async () => {
    const { page, context } = await visit('/docs')
    await page.getByLabel('API key').fill('asf_live_mine')
    await page.reload()
    await page.locator('.opblock').first().waitFor()
    expect(await page.getByLabel('API key').inputValue()).toBe('asf_live_mine')
    expect(await sentKey(page)).toBe('Bearer asf_live_mine')
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('asf_live_mine')
    const other = await context.newPage()
    await other.goto(`${server.url}/docs`)
    expect(await other.getByLabel('API key').inputValue()).toBe('')
    await context.close()
  })
})
