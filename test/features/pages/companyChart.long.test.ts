import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { chromiumPath, openChromium } from '../../chromium.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'

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
}, 120_000)
afterAll(async () => {
  if (path === null) return
  await browser.close()
  await server.stop()
}, 180_000)

async function visit(route: string, options: BrowserContextOptions = {}) {
  const extraHTTPHeaders = { 'X-Forwarded-For': `10.67.${++visitors >> 8}.${visitors & 255}` }
  const context = await browser.newContext({ extraHTTPHeaders, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto(server.url + route, { waitUntil: 'networkidle' })
  return { page, context, complaints }
}

/** Everything that the visible picture and the trends of the visible rows show. */
const drawn = (page: Page) =>
  page.evaluate(() => {
    const svg = [...document.querySelectorAll('.bar-chart')].find(one => one.checkVisibility())
    const numbers = (element: Element, ...names: string[]) =>
      names.map(name => Number(element.getAttribute(name)))
    const rects = (selector: string) =>
      [...(svg?.querySelectorAll(selector) ?? [])].map(rect => [
        rect.parentElement?.getAttribute('class'),
        ...numbers(rect, 'x', 'y', 'width', 'height'),
      ])
    return {
      words: document.querySelector('#chart h2')?.textContent,
      bars: rects('[class^="bar-"] rect'),
      ghosts: rects('.ghosts rect'),
      base: [...(svg?.querySelectorAll('.base') ?? [])].map(line => numbers(line, 'x1', 'x2', 'y1', 'y2')),
      axis: [...(svg?.querySelectorAll('.axis text') ?? [])].map(label => [
        label.textContent,
        ...numbers(label, 'x', 'y'),
      ]),
      said: [...(svg?.querySelectorAll('.read') ?? [])].map(read => read.getAttribute('aria-label')),
      notes: [...document.querySelectorAll('#chart p')]
        .filter(note => note.checkVisibility())
        .map(note => note.textContent),
      trends: [...document.querySelectorAll('tr:not([hidden]) .trend')].map(trend => [
        trend.querySelector('path')?.getAttribute('d'),
        trend.textContent,
        trend.getAttribute('title'),
        trend.getAttribute('aria-label'),
      ]),
    }
  })

async function slideTo(page: Page, stop: number): Promise<void> {
  await page.evaluate(async at => {
    const slider = document.querySelector<HTMLInputElement>('#as-of-slider')
    if (slider === null) throw new Error('no slider')
    slider.value = String(at)
    slider.dispatchEvent(new Event('input'))
    await new Promise(resolve => requestAnimationFrame(resolve))
    await new Promise(resolve => requestAnimationFrame(resolve))
  }, stop)
}

const daysOf = (page: Page) =>
  page.evaluate((): string[] => JSON.parse(document.querySelector('#states')?.textContent ?? '{}').days)

describe.skipIf(path === null)('the chart of a company', () => {
  for (const [route, width] of [
    ['/companies/AAPL', 1280],
    ['/companies/AAPL?plot=eps_diluted', 390],
    ['/companies/AAPL?figures=first_filed', 1280],
    ['/companies/AAPL?plot=eps&adjust=splits', 1280],
  ] as const) {
    test(`${route} at ${width} is drawn by the script as the server draws it, on every third stop`, async () => {
      const { page, context, complaints } = await visit(route, { viewport: { width, height: 900 } })
      const other = await visit('/robots.txt', { viewport: { width, height: 900 } })
      const days = await daysOf(page)
      expect(days.length).toBeGreaterThan(20)
      for (let stop = days.length - 2; stop >= 0; stop -= 3) {
        await slideTo(page, stop)
        const byScript = await drawn(page)
        await other.page.goto(`${server.url}${route}${route.includes('?') ? '&' : '?'}as_of=${days[stop]}`)
        expect([days[stop], byScript]).toEqual([days[stop], await drawn(other.page)])
      }
      expect(complaints).toEqual([])
      await context.close()
      await other.context.close()
    })
  }

  test('shows exact values by keyboard alone, as one tab stop, before and after the slider moved', async () => {
    const { page, context, complaints } = await visit('/companies/AAPL')
    const focused = () =>
      page.evaluate(() => ({
        said: document.activeElement?.getAttribute('aria-label') ?? '',
        tip: document.activeElement?.querySelector('.tip')?.checkVisibility() ?? false,
      }))
    await page.getByLabel('Plot', { exact: true }).focus()
    await page.keyboard.press('Tab')
    expect((await focused()).said).toStartWith('FY 2025: Revenue: ')
    await page.keyboard.press('ArrowLeft')
    expect(await focused()).toMatchObject({
      said: expect.stringMatching(/^FY 2024: Revenue: [\d,]+ USD, /),
      tip: true,
    })
    await page.keyboard.press('Home')
    expect((await focused()).said).toStartWith('FY 2007: ')
    await page.keyboard.press('Tab')
    expect((await focused()).said).not.toContain('FY ')
    await slideTo(page, (await daysOf(page)).indexOf('2010-01-25'))
    await page.getByLabel('Plot', { exact: true }).focus()
    await page.keyboard.press('Tab')
    expect(await focused()).toEqual({
      said: expect.stringMatching(/^FY 2009: Revenue: 42,905,000,000 USD, .*filed 2010-01-25/),
      tip: true,
    })
    await page.mouse.move(0, 0)
    await page.locator('.bar-chart.wide .read > rect').first().hover()
    expect(await page.locator('.bar-chart.wide .tip:visible').allTextContents()).toEqual([
      expect.stringContaining('FY 2007'),
    ])
    const [chart, tip] = await Promise.all(
      ['.bar-chart.wide', '.bar-chart.wide .tip:visible'].map(box => page.locator(box).boundingBox()),
    )
    expect(tip?.x).toBeGreaterThanOrEqual(chart?.x ?? Infinity)
    expect(tip?.width).toBeLessThan((chart?.width ?? 0) / 2)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('plots the row whose sparkline is clicked, and the line that is chosen, on the day shown', async () => {
    const { page, context, complaints } = await visit('/companies/AAPL')
    const days = await daysOf(page)
    await slideTo(page, days.indexOf('2010-01-25'))
    await page.evaluate(() => document.querySelector('#as-of-slider')?.dispatchEvent(new Event('change')))
    await page.waitForFunction(() => location.search.includes('as_of=2010-01-25'))
    await page.locator('tr[data-m="cash"] .trend').click()
    await page.waitForFunction(() => location.search.includes('plot=cash'))
    const cash = await drawn(page)
    expect(cash.words).toBe('Cash USD, millions')
    expect(cash.said[cash.said.length - 1]).toContain('FY 2009: Cash: 5,263,000,000 USD, ')
    await slideTo(page, days.length - 1)
    expect((await drawn(page)).said.length).toBeGreaterThan(cash.said.length)
    await page.getByLabel('Plot', { exact: true }).selectOption({ label: 'Net margin' })
    await page.waitForFunction(() => location.search.includes('plot=net_margin'))
    expect((await drawn(page)).words).toBe('Net margin per cent')
    // Back leads through the plots before, and then to the page as it was, never away from the company.
    for (const [plot, words] of [
      ['cash', 'Cash USD, millions'],
      [null, 'Chart USD, millions'],
    ] as const) {
      await page.goBack()
      await page.waitForFunction(
        expected => document.querySelector('#chart h2')?.textContent === expected,
        words,
      )
      const { pathname, searchParams } = new URL(page.url())
      expect([pathname, searchParams.get('plot'), searchParams.get('as_of')]).toEqual([
        '/companies/AAPL',
        plot,
        '2010-01-25',
      ])
    }
    expect(complaints).toEqual([])
    await context.close()
  })

  test('is a picture without script, with a field for the line and links for the vintages', async () => {
    const { page, context } = await visit('/companies/AAPL?as_of=2010-01-25', { javaScriptEnabled: false })
    await page.getByLabel('Plot', { exact: true }).selectOption({ label: 'Cash' })
    await page.getByRole('button', { name: 'Plot' }).click()
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      as_of: '2010-01-25',
      plot: 'cash',
    })
    await page.getByRole('link', { name: 'Latest', exact: true }).click()
    expect(new URL(page.url()).searchParams.get('figures')).toBe('latest')
    await page.getByText('Includes filings after 2010-01-25.').waitFor()
    await page.getByRole('link', { name: 'Show what was known on 2010-01-25' }).click()
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      as_of: '2010-01-25',
      plot: 'cash',
    })
    await page.locator('tr[data-m="revenue"] .trend').click()
    expect(new URL(page.url()).searchParams.get('plot')).toBe('revenue')
    await page.locator('.bar-chart.wide .read > rect').first().hover()
    expect(await page.locator('.bar-chart.wide .tip:visible').count()).toBe(1)
    await context.close()
  })

  for (const width of [1280, 390]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`has no serious finding at ${width}, ${colorScheme}, also with a box of values open`, async () => {
        const { page, context } = await visit(
          '/companies/AAPL?figures=latest&as_of=2010-01-25&plot=revenue',
          {
            viewport: { width, height: 900 },
            colorScheme,
          },
        )
        await page.locator('.bar-chart:visible .read').first().focus()
        await page.evaluate(axe)
        const { violations } = await page.evaluate<{ violations: { id: string; impact: string | null }[] }>(
          'axe.run(document, { resultTypes: ["violations"] })',
        )
        expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0)
        await context.close()
      })
    }
  }
})
