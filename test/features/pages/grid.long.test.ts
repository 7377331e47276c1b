import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { chromiumPath, openChromium } from '../../chromium.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'

setDefaultTimeout(120_000)

const path = chromiumPath()
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

async function open(route: string, options = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  await page.goto(server.url + route)
  return page
}

/** The row and column of the focused element, as a reader counts what is visible. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const cell = document.activeElement?.closest<HTMLTableCellElement>('td, th') ?? null
    const columns = [...(cell?.parentElement?.children ?? [])].filter(other => !(other as HTMLElement).hidden)
    return [
      cell?.closest('section')?.querySelector('h2')?.id,
      cell?.parentElement?.dataset.m,
      cell === null ? -1 : columns.indexOf(cell),
    ]
  })

describe.skipIf(path === null)('a table of figures', () => {
  test('is one tab stop, in which arrow keys, Home and End move', async () => {
    const page = await open('/companies/AAPL')
    const links = await page.locator('.statement table a').count()
    expect(links).toBeGreaterThan(500)
    const tables = await page.locator('.statement table').evaluateAll(all =>
      all.map(table => [
        [...table.querySelectorAll<HTMLElement>('a, td, th')].filter(({ tabIndex }) => tabIndex === 0).length,
        // The box around it takes no stop of its own.
        table.parentElement?.tabIndex,
      ]),
    )
    expect(tables).toEqual(tables.map(() => [1, -1]))

    const rows = await page
      .locator('#income ~ .scroll tbody tr:visible')
      .evaluateAll(all => all.map(row => (row as HTMLElement).dataset.m))
    const last = (await page.locator('#income ~ .scroll thead th:visible').count()) - 1
    await page.locator('#income ~ .scroll tbody a').first().focus()
    for (const [key, row, column] of [
      // The head of a row has two links: what its metric means, and its chart.
      ['ArrowRight', 0, 0],
      ['ArrowRight', 0, 1],
      ['ArrowDown', 1, 1],
      ['End', 1, last],
      ['ArrowRight', 1, last],
      ['ArrowUp', 0, last],
      ['ArrowUp', 0, last],
      ['Home', 0, 0],
      ['ArrowLeft', 0, 0],
      ['Control+End', rows.length - 1, last],
      ['ArrowDown', rows.length - 1, last],
      ['Control+Home', 0, 0],
      ['ArrowDown', 1, 0],
    ] as const) {
      await page.keyboard.press(key)
      expect([key, ...(await focused(page))]).toEqual([key, 'income', rows[row], column])
    }
    // Tab leaves the table, and comes back to where the reader was.
    await page.keyboard.press('Tab')
    expect((await focused(page))[0]).toBe('balance')
    await page.keyboard.press('Shift+Tab')
    expect(await focused(page)).toEqual(['income', rows[1], 0])
    await page.context().close()
  })

  test('keeps a tab stop when another day hides the column of its own', async () => {
    const page = await open('/companies/AAPL')
    await page.locator('#income ~ .scroll tbody a').first().focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect((await focused(page))[2]).toBe(1)
    await page.getByRole('slider').focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(() =>
      document.querySelector('#income ~ .scroll [tabindex="0"]')?.checkVisibility(),
    )
    const stops = page.locator('#income ~ .scroll :is(a, td)[tabindex="0"]')
    expect(await stops.count()).toBe(1)
    await page.context().close()
  })

  test('keeps its heads in view, and what is focused is not below them', async () => {
    for (const width of [1280, 390]) {
      const page = await open('/companies/AAPL', { viewport: { width, height: 500 } })
      await page.locator('#balance ~ .scroll tbody a').first().focus()
      await page.keyboard.press('Control+End')
      const boxes = () =>
        page.evaluate(() => {
          const cell = document.activeElement?.closest('td, th')
          const table = cell?.closest('table')
          const of = (element?: Element | null) => element?.getBoundingClientRect() ?? new DOMRect()
          const [scroller, head, own] = [table?.parentElement, table?.tHead, cell].map(of)
          return {
            top: of(table?.tHead?.rows[0].cells[1]).top - scroller.top,
            left: of(cell?.parentElement?.firstElementChild).left - scroller.left,
            isBelowHead: own.top >= scroller.top + head.height - 1,
            isRight: own.left >= of(table?.tHead?.rows[0].cells[0]).right - 1,
          }
        })
      const inView = { top: 0, left: 0, isBelowHead: true, isRight: true }
      expect([width, await boxes()]).toEqual([width, inView])
      for (let presses = 0; presses < 12; presses++) await page.keyboard.press('ArrowLeft')
      expect([width, await boxes()]).toEqual([width, inView])
      await page.context().close()
    }
  })

  test('has a tab stop for each link without scripts', async () => {
    const page = await open('/companies/AAPL', { javaScriptEnabled: false })
    expect(await page.locator('.statement table [tabindex]').count()).toBe(0)
    expect(await page.locator('.statement .scroll[tabindex="0"]').count()).toBe(
      await page.locator('.statement .scroll').count(),
    )
    await page.context().close()
  })
})
