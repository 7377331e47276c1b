import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { chromiumPath, openChromium } from '../../chromium.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'

setDefaultTimeout(180_000)

const path = chromiumPath()
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
let server: RealServer
let browser: Browser

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

async function open(route: string, options = {}): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  await page.goto(server.url + route)
  return { page, faults }
}

const cell = 'revenue.2009.FY.2009-09-26'
const drawer = (page: Page) => page.getByRole('dialog')
const focusedCell = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest('td')?.getAttribute('title') ?? null)

describe.skipIf(path === null)('the drawer of a figure', () => {
  test('has an address, and Escape and Back close it without leaving the company', async () => {
    const { page, faults } = await open('/markets')
    await page.goto(`${server.url}/companies/AAPL`)
    const link = page.locator('tr[data-m="revenue"] td.restated a').first()
    const title = await link.getAttribute('title')
    for (const close of ['Escape', 'Back', 'the button']) {
      await link.click()
      await drawer(page).getByText('36,537,000,000 USD').waitFor()
      expect(new URL(page.url()).searchParams.get('cell')).toBe(cell)
      expect(await drawer(page).evaluate(element => element.contains(document.activeElement))).toBe(true)
      expect(await drawer(page).getAttribute('aria-labelledby')).toBe('figure-title')
      if (close === 'Escape') await page.keyboard.press('Escape')
      else if (close === 'Back') await page.goBack()
      else await drawer(page).getByRole('button', { name: 'Close' }).click()
      await page.waitForFunction(() => !location.search.includes('cell='))
      expect([close, new URL(page.url()).pathname, await drawer(page).count()]).toEqual([
        close,
        '/companies/AAPL',
        0,
      ])
      expect([close, await focusedCell(page)]).toEqual([close, title])
    }
    await page.goForward()
    await drawer(page).getByText('36,537,000,000 USD').waitFor()
    await page.goBack()
    await page.waitForFunction(() => !location.search.includes('cell='))
    await page.goBack()
    await page.waitForURL('**/markets')
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('opens with its address, and closing it stays on the company', async () => {
    for (const width of [1280, 390]) {
      const { page, faults } = await open(`/companies/AAPL?cell=${cell}`, {
        viewport: { width, height: 800 },
      })
      await drawer(page).getByText('36,537,000,000 USD').waitFor()
      const box = await drawer(page).boundingBox()
      // At the side, or at the bottom of a phone.
      expect([
        width,
        Math.round((box?.x ?? 0) + (box?.width ?? 0)),
        Math.round((box?.y ?? 0) + (box?.height ?? 0)),
      ]).toEqual([width, width, 800])
      expect((box?.y ?? 0) > 0).toBe(width === 390)
      await page.evaluate(axe)
      const serious = await page.evaluate<string[]>(
        'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => id + nodes[0].html.slice(0, 120)))',
      )
      expect([width, ...serious]).toEqual([width])
      await page.keyboard.press('Escape')
      await page.waitForFunction(() => location.search === '')
      expect(await drawer(page).count()).toBe(0)
      expect(await focusedCell(page)).toContain('before: 36,537,000,000 USD')
      expect(faults).toEqual([])
      await page.context().close()
    }
  })

  test('is a section of the page without script', async () => {
    const { page } = await open(`/companies/AAPL?cell=${cell}`, { javaScriptEnabled: false })
    expect(await drawer(page).count()).toBe(0)
    expect(await page.locator('#figure').isVisible()).toBe(true)
    expect(await page.locator('#figure').textContent()).toContain('36,537,000,000 USD')
    await page.context().close()
  })
})

describe.skipIf(path === null)('the day and the cells of a company', () => {
  test('Back undoes the choice of a day, however many were tried', async () => {
    const { page, faults } = await open('/companies/AAPL')
    const previous = page.getByRole('link', { name: 'Previous filing' })
    await previous.click()
    const [first] = [new URL(page.url()).searchParams.get('as_of') ?? '']
    await previous.click()
    const second = new URL(page.url()).searchParams.get('as_of') ?? ''
    expect([first > second, second > '2020']).toEqual([true, true])
    expect(await page.locator('#as-of-day').inputValue()).toBe(second)
    expect(await page.locator('#as-of-text').textContent()).toContain(second)
    await page.getByRole('link', { name: 'Next filing' }).click()
    expect(new URL(page.url()).searchParams.get('as_of')).toBe(first)
    await page.goBack()
    await page.waitForFunction(() => location.search === '')
    expect(await page.locator('#as-of-text').textContent()).toBe('Everything filed by today.')
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('a restated cell makes no row higher, until changes are shown', async () => {
    const { page } = await open('/companies/AAPL')
    const heights = () =>
      page
        .locator('tr[data-m="revenue"], tr[data-m="net_income"]')
        .evaluateAll(rows => rows.map(row => Math.round(row.getBoundingClientRect().height)))
    const [plain] = await heights()
    expect(plain).toBeLessThan(40)
    await page.getByLabel('Show changes').check()
    expect((await heights())[0]).toBeGreaterThan(plain)
    expect(new URL(page.url()).search).toBe('?changes=shown')
    await page.reload()
    expect(await page.getByLabel('Show changes').isChecked()).toBe(true)
    await page.context().close()
    const still = await open('/companies/AAPL', { javaScriptEnabled: false })
    await still.page.getByRole('link', { name: 'Show changes' }).click()
    expect(await still.page.locator('tr[data-m="revenue"] td.restated s').first().isVisible()).toBe(true)
    await still.page.context().close()
  })

  test('what the script shows after a drag is what the server shows, marks, lines and reasons included', async () => {
    const { page, faults } = await open('/companies/AAPL')
    const shown = () =>
      page
        .locator('.statement td:not([hidden])')
        .evaluateAll(cells =>
          cells
            .filter(cell => !(cell.parentElement as HTMLElement).hidden)
            .map(cell => [
              cell.textContent,
              cell.getAttribute('title'),
              [...cell.classList].sort().join(' '),
              cell.getAttribute('data-line'),
              cell.querySelector('a')?.title,
            ]),
        )
    const visit = async (query: string) => {
      await page.goto(`${server.url}/companies/AAPL${query}`)
    }
    for (const [day, adjust] of [
      ['2012-10-31', ''],
      ['2014-10-27', ''],
      ['2020-10-29', ''],
      ['2020-10-30', '&adjust=splits'],
      ['2020-10-30', ''],
    ]) {
      await visit(`?${adjust.slice(1)}`)
      for (const other of ['2010-01-25', '2015-10-28', day]) {
        await page.getByLabel('As known on').fill(other)
        await page.getByLabel('As known on').blur()
      }
      const byScript = await shown()
      await visit(`?as_of=${day}${adjust}`)
      const byServer = await shown()
      expect([day, byServer.length > 100]).toEqual([day, true])
      expect([day, adjust, ...byScript]).toEqual([day, adjust, ...byServer])
    }
    expect(faults).toEqual([])
    await page.context().close()
  })
})
