import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { chromiumPath, openChromium } from '../../chromium.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'

setDefaultTimeout(120_000)

const path = chromiumPath()
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
let server: RealServer
let browser: Browser
let visitors = 0

beforeAll(async () => {
  if (path === null) return
  server = await realServer()
  browser = await openChromium(path)
}, 120_000)
afterAll(async () => {
  if (path === null) return
  await browser.close()
  await server.stop()
}, 180_000)

async function visit(route: string, options: BrowserContextOptions = {}): Promise<Page> {
  const extraHTTPHeaders = { 'X-Forwarded-For': `10.67.0.${++visitors}` }
  const permissions = ['clipboard-read', 'clipboard-write']
  const context = await browser.newContext({ extraHTTPHeaders, permissions, ...options })
  const page = await context.newPage()
  await page.goto(server.url + route)
  return page
}

interface AxeResult {
  readonly violations: { readonly id: string; readonly impact: string | null }[]
}

const codes = (page: Page) => page.locator('#use code').allTextContents()

describe.skipIf(path === null)('use this data', () => {
  test('a line is copied with the address under which the visitor reads the page', async () => {
    const page = await visit('/companies/AAPL?as_of=2009-12-31')
    await page.locator('#use > summary').click()
    await page.getByRole('button', { name: 'Copy curl' }).click()
    await page.getByText('Copied.').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe(
      `curl -s -H 'Authorization: Bearer demo' '${server.url}/api/v1/fundamentals?ticker=AAPL&fp=FY&vintage=latest&as_of=2009-12-31'`,
    )
    await page.context().close()
  })

  test('the lines and the downloads follow the slider', async () => {
    const page = await visit('/companies/AAPL')
    await page.locator('#use > summary').click()
    const links = () =>
      page.locator('#download a[download]').evaluateAll(all => all.map(link => link.getAttribute('href')))
    expect((await codes(page)).join()).not.toContain('as_of')
    await page.locator('#as-of-slider').focus()
    // The first filing of the sample is of 22 July 2009.
    await page.keyboard.press('Home')
    await page.waitForFunction(() =>
      [...document.querySelectorAll('#use code')].some(code => code.textContent.includes('as_of=2009-07-22')),
    )
    for (const code of (await codes(page)).filter(text => /fundamentals|IMPORTDATA/.test(text)))
      expect(code).toContain('2009-07-22')
    for (const link of await links()) expect(link).toContain('as_of=2009-07-22')
    await page.locator('#as-of-slider').focus()
    await page.keyboard.press('ArrowRight')
    const { searchParams } = new URL(page.url())
    const day = searchParams.get('as_of') ?? ''
    expect(day > '2009-07-22').toBe(true)
    await page.getByRole('button', { name: 'Copy Python' }).click()
    await page.waitForFunction(async text => (await navigator.clipboard.readText()).includes(text), day)
    for (const link of await links()) expect(link).toContain(`as_of=${day}`)
    await page.context().close()
  })

  test('without scripts the lines open and can be selected', async () => {
    const page = await visit('/companies/AAPL', { javaScriptEnabled: false })
    await page.locator('#use > summary').click()
    expect(await page.locator('#use code').first().isVisible()).toBe(true)
    expect(await page.locator('#use button').count()).toBe(0)
    await page.context().close()
  })

  for (const route of [
    '/companies/AAPL?cell=revenue.2009.FY.2009-09-26',
    '/companies/AAPL/statements?cell=us-gaap:Assets~2009-06-27~0',
    '/screen',
    '/companies/65305216.DK',
  ]) {
    for (const [width, colorScheme] of [
      [1280, 'dark'],
      [390, 'light'],
    ] as const) {
      test(`${route} at ${width}, ${colorScheme}, with all details open: no serious finding, nothing out of sight`, async () => {
        const page = await visit(route, { viewport: { width, height: 900 }, colorScheme })
        await page.evaluate(() => {
          for (const details of document.querySelectorAll('details')) details.open = true
        })
        await page.evaluate(axe)
        const result = await page.evaluate<AxeResult>('axe.run("main", { resultTypes: ["violations"] })')
        const serious = result.violations.filter(
          ({ impact }) => impact === 'serious' || impact === 'critical',
        )
        expect(serious.map(({ id }) => id)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThan(1)
        // Every column of a list of revisions is in view, its documents included.
        const wide = await page.evaluate(
          () =>
            [
              ...document.querySelectorAll<HTMLElement>('.scroll:has(> .revisions), .scroll:has(> .stating)'),
            ].filter(box => box.scrollWidth > box.clientWidth).length,
        )
        expect(wide).toBe(0)
        await page.context().close()
      })
    }
  }
})
