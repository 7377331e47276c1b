import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { chromiumPath, openChromium } from '../../chromium.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { codeFor } from '../account/browser.ts'

setDefaultTimeout(180_000)

const path = chromiumPath()
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
let server: RealServer
let browser: Browser
let visitors = 0

beforeAll(async () => {
  if (path === null) return
  server = await realServer()
  browser = await openChromium(path)
}, 180_000)
afterAll(async () => {
  if (path === null) return
  await browser.close()
  await server.stop()
}, 180_000)

async function visit(
  route: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; context: BrowserContext }> {
  const extraHTTPHeaders = { 'X-Forwarded-For': `10.67.${++visitors >> 8}.${visitors & 255}` }
  const context = await browser.newContext({ extraHTTPHeaders, ...options })
  const page = await context.newPage()
  await page.goto(server.url + route)
  return { page, context }
}

interface AxeResult {
  readonly violations: {
    readonly id: string
    readonly impact: string | null
    readonly nodes: { readonly html: string }[]
  }[]
}

async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const result = await page.evaluate<AxeResult>('axe.run(document, { resultTypes: ["violations"] })')
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
}

/** Clicks links by their names, one after the other, starting at the first page. At most three clicks are allowed. */
async function clicks(page: Page, ...names: readonly string[]): Promise<void> {
  expect(names.length).toBeLessThanOrEqual(3)
  for (const name of names) {
    const link = page.getByRole('link', { name }).first()
    const target = await link.getAttribute('href')
    await link.click()
    await page.waitForURL(`**${target}`)
  }
}

describe.skipIf(path === null)('from the first page, in three clicks or fewer, one reaches', () => {
  test('figures as of 2009', async () => {
    const { page, context } = await visit('/')
    await clicks(page, 'Apple as of the end of 2009')
    expect(new URL(page.url()).searchParams.get('as_of')).toBe('2009-12-31')
    // Form 10-K of 2009-10-27; the amendment of 2010-01-25 has 42,905.
    const text = (await page.getByRole('main').textContent()) ?? ''
    expect(text).toContain('36,537')
    expect(await page.locator('tr[data-m="revenue"] td:visible').allTextContents()).not.toContain('42,905')
    await context.close()
  })

  test('a restatement with its filing', async () => {
    const { page, context } = await visit('/')
    await clicks(page, 'Apple’s revenue of 2009, restated: both filings')
    const figure = page.locator('#figure')
    await figure.waitFor()
    const text = (await figure.textContent()) ?? ''
    for (const part of ['36,537,000,000', '42,905,000,000', '10-K/A']) expect(text).toContain(part)
    // Accession numbers of both filings at the SEC.
    const links = await figure
      .locator('a[href^="https://www.sec.gov/"]')
      .evaluateAll(all => all.map(link => link.getAttribute('href') ?? ''))
    for (const accession of ['000119312509214859', '000119312510012091'])
      expect(links.some(link => link.includes(accession))).toBe(true)
    await context.close()
  })

  test('a command that works, and copies it', async () => {
    const { page, context } = await visit('/', { permissions: ['clipboard-read', 'clipboard-write'] })
    await clicks(page, 'A line for your terminal')
    await page.getByRole('button', { name: 'Copy Terminal' }).click()
    await page.getByText('Copied.').waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    const { stdout, exited } = Bun.spawn(['sh', '-c', command])
    expect(JSON.parse(await new Response(stdout).text()).data).toMatchObject([{ v: 36_537_000_000 }])
    expect(await exited).toBe(0)
    await context.close()
  })

  test('a comparison', async () => {
    const { page, context } = await visit('/')
    await clicks(page, 'Apple and Alphabet compared')
    const text = (await page.getByRole('main').textContent()) ?? ''
    for (const ticker of ['AAPL', 'GOOG']) expect(text).toContain(ticker)
    expect(await page.locator('main table').count()).toBeGreaterThan(0)
    expect(await page.locator('main svg').count()).toBeGreaterThan(0)
    await context.close()
  })

  test('a backtest report', async () => {
    const { page, context } = await visit('/')
    await clicks(page, 'A backtest report')
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    expect(await page.textContent('body')).toContain('Sharpe')
    await context.close()
  })
})

describe.skipIf(path === null)('by keyboard alone one', () => {
  test('finds a company from any page: / moves to the search, Enter opens a symbol, arrows choose a name', async () => {
    const { page, context } = await visit('/docs/errors')
    await page.keyboard.press('/')
    await page.keyboard.type('aapl')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/companies/AAPL')
    await page.keyboard.press('/')
    await page.keyboard.type('ninten')
    await page.locator('.site-search [role=option]').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/companies/E02367.JP')
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    await context.close()
  })

  test('types a slash into a field', async () => {
    const { page, context } = await visit('/')
    const field = page.getByLabel('Company, symbol or registration number')
    await field.focus()
    await page.keyboard.type('a/s')
    expect(await field.inputValue()).toBe('a/s')
    await context.close()
  })

  for (const width of [1280, 390])
    test(`changes the theme at ${width}`, async () => {
      const { page, context } = await visit('/markets', {
        viewport: { width, height: 800 },
        colorScheme: 'light',
      })
      const focusedId = () => page.evaluate(() => document.activeElement?.id ?? '')
      const menu = page.getByRole('button', { name: 'Menu' })
      for (let presses = 0; presses < 25 && (await focusedId()) !== 'theme'; presses++) {
        await page.keyboard.press('Tab')
        if (width === 390 && (await menu.evaluate(button => button === document.activeElement))) {
          await page.keyboard.press('Enter')
          await page.getByRole('navigation', { name: 'Site' }).waitFor()
        }
      }
      expect(await focusedId()).toBe('theme')
      await page.keyboard.type('Dark')
      await page.waitForFunction(() => document.documentElement.classList.contains('dark-mode'))
      if (width === 390) {
        await page.keyboard.press('Escape')
        expect(await page.getByRole('navigation', { name: 'Site' }).isVisible()).toBe(false)
      }
      await context.close()
    })

  test('signs in, creates a key and gets a command that fetches figures', async () => {
    const { page, context } = await visit('/sign-in?next=/account/api-keys')
    await page.getByLabel('E-mail address').focus()
    await page.keyboard.type('keys@alone.example')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sign-in/code**')
    await page.getByLabel('Code').focus()
    await page.keyboard.type(codeFor(server.terminal, 'keys@alone.example'))
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account/api-keys')
    const button = page.getByRole('button', { name: 'Create the key' })
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab')
      if (await button.evaluate(element => element === document.activeElement)) break
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your new key' }).waitFor()
    expect(await page.locator('pre').textContent()).toContain('/api/v1/fundamentals?ticker=AAPL')
    await context.close()
  })
})

describe.skipIf(path === null)('the header', () => {
  test('is as wide as the content on a wide screen', async () => {
    for (const route of ['/', '/markets', '/docs/guides/clients', '/start']) {
      const { page, context } = await visit(route, { viewport: { width: 1920, height: 900 } })
      const edges = await page.evaluate(() => {
        const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect()
        const content = document.querySelector('.page')
        const { paddingLeft, paddingRight } = getComputedStyle(content ?? document.body)
        const inner = content?.getBoundingClientRect()
        return {
          left: (box('.brand')?.left ?? 0) - ((inner?.left ?? 0) + Number.parseFloat(paddingLeft)),
          right: (box('.theme')?.right ?? 0) - ((inner?.right ?? 0) - Number.parseFloat(paddingRight)),
        }
      })
      expect([route, edges]).toEqual([route, { left: 0, right: 0 }])
      await context.close()
    }
  })

  for (const width of [390, 800, 1216, 1280])
    test(`fits ${width} pixels, in one row, with and without script`, async () => {
      for (const javaScriptEnabled of [true, false]) {
        const { page, context } = await visit('/universe', {
          viewport: { width, height: 800 },
          javaScriptEnabled,
        })
        const sizes = () =>
          page.evaluate(() => [
            document.documentElement.scrollWidth > innerWidth,
            (document.querySelector('.site')?.getBoundingClientRect().height ?? 0) < 70,
          ])
        expect(await sizes()).toEqual([false, true])
        const navigation = page.getByRole('navigation', { name: 'Site' })
        const menu = page.getByRole('button', { name: 'Menu' })
        expect(await navigation.isVisible()).toBe(width > 1215)
        if (width <= 1215) await menu.click()
        expect(await navigation.getByRole('link').count()).toBe(9)
        await navigation.getByRole('link', { name: 'Restatements' }).click()
        await page.waitForURL('**/restatements')
        await context.close()
      }
    })
})

describe.skipIf(path === null)('nothing serious is found', () => {
  for (const route of [
    '/',
    '/start',
    '/search?q=nothing+at+all',
    '/docs/guides',
    '/docs/guides/clients',
    '/docs/errors',
    '/sign-in',
  ])
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [1280, 'dark'],
      [390, 'light'],
      [390, 'dark'],
    ] as const)
      test(`on ${route} at ${width}, ${colorScheme}, with the menu open where there is one`, async () => {
        const { page, context } = await visit(route, { viewport: { width, height: 900 }, colorScheme })
        if (width === 390) await page.getByRole('button', { name: 'Menu' }).click()
        expect(await findings(page)).toEqual([])
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0)
        await context.close()
      })
})
