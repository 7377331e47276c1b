import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { tearSheet } from '../../../../src/backtest/report/tearSheet/page.ts'
import type { BacktestResult } from '../../../../src/backtest/result.ts'
import { chromiumPath, openChromium } from '../../../chromium.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { madeResult, madeSweep } from '../fixtures.ts'
import { openEngine, requests } from '../realResults.ts'

setDefaultTimeout(180_000)

const path = chromiumPath()
const folder = mkdtempSync(join(tmpdir(), 'asfiled-sheet-'))
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
let browser: Browser
/** By name. */
const pages = new Map<string, string>()

beforeAll(async () => {
  if (path === null) return
  browser = await openChromium(path)
  const engine = openEngine()
  for (const [name, body] of Object.entries(requests)) pages.set(name, await engine.page(body))
  await engine.close()
})
afterAll(async () => {
  if (path !== null) await browser.close()
  rmSync(folder, { recursive: true, force: true })
})

const long = 'Averyveryverylongnamewithoutaspace'.repeat(4)
const included: Partial<BacktestResult> = {
  ic: { mean: 0.031, sd: 0.2, ir: 0.155, t_stat: 2.68, n_periods: 900 },
  quantiles: Array.from({ length: 10 }, (_, i) => ({
    bucket: i + 1,
    mean_return: (i - 4.5) / 400,
    n_periods: 9,
  })),
  positions: [{ asset: long, market: 'US', weight: 0.05 }],
  warnings: [{ code: 'default_costs', message: `Stands in for ${long}.` }],
}
const wave = (periods: number, size: number) =>
  Array.from({ length: periods }, (_, i) => Math.sin(i * 12.9898) * size + size / 20)
/** Fifty legs, each held for one to twenty days, of which the last won. */
function wideSweep(): BacktestResult {
  const sweep = madeSweep(wave(300, 0.02), included)
  const { best, trials: [one] = [] } = sweep
  if (best === undefined) throw new Error('the sweep has no winner')
  const trials = Array.from({ length: 1_000 }, (_, i) => ({
    ...one,
    label: `long_short q${(Math.floor(i / 20) + 1) / 100} equal h${(i % 20) + 1}`,
    sharpe: i / 1_000,
  }))
  const folds = Array.from({ length: 50 }, (_, i) => ({ ...sweep.folds[0], fold: i + 1 }))
  return { ...sweep, trials, folds, best: { ...best, label: trials[999].label } }
}

/** Names of pages, with the number of their charts. */
const sheets: [string, number][] = [
  ['the shipped archive, one configuration', 9],
  ['the shipped archive, the default sweep', 11],
  ['four names on thirty days', 7],
  ['a sweep with a month of empty periods', 9],
]
const made: [string, BacktestResult, number][] = [
  ['a sweep with everything', madeSweep(wave(900, 0.02), included), 4],
  ['a thousand configurations on fifty folds', wideSweep(), 4],
  ['one period', madeResult([-0.05], included), 3],
  ['a curve that grows a thousandfold', madeResult(new Array(1200).fill(0.006), included), 3],
]
for (const [name, result, charts] of made) {
  pages.set(name, tearSheet(result, long))
  sheets.push([name, charts])
}
const screens: [string, number, 'light' | 'dark'][] = [
  ['a desktop in the light', 1280, 'light'],
  ['a desktop in the dark', 1280, 'dark'],
  ['a tablet', 768, 'light'],
  ['a phone in the light', 390, 'light'],
  ['a phone in the dark', 390, 'dark'],
]

async function open(name: string, width: number, colorScheme: 'light' | 'dark') {
  const file = join(folder, 'sheet.html')
  writeFileSync(file, pages.get(name) ?? '')
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    if (request.url() !== pathToFileURL(file).href) complaints.push(`asks for ${request.url()}`)
  })
  await page.goto(pathToFileURL(file).href)
  return { page, complaints, close: () => context.close() }
}

/** For each chart shown: pairs of labels that touch, and labels that stick out. */
function badLabels(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = []
    for (const chart of document.querySelectorAll('svg.chart')) {
      const frame = chart.getBoundingClientRect()
      if (frame.width === 0) continue
      const labels = [...chart.querySelectorAll('text')].filter(text => text.closest('.say') === null)
      const boxes = labels.map(label => ({ text: label.textContent, box: label.getBoundingClientRect() }))
      for (const [i, { text, box }] of boxes.entries()) {
        if (box.left < frame.left - 1 || box.right > frame.right + 1) faults.push(`${text} sticks out`)
        if (box.top < frame.top - 1 || box.bottom > frame.bottom + 1) faults.push(`${text} sticks out`)
        for (const other of boxes.slice(i + 1)) {
          const apart =
            box.right <= other.box.left ||
            other.box.right <= box.left ||
            box.bottom <= other.box.top + 1 ||
            other.box.bottom <= box.top + 1
          if (!apart) faults.push(`${text} touches ${other.text}`)
        }
      }
    }
    return faults
  })
}

/** Tables that go on to the right without a word. */
function silentlyCut(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.scroll')].flatMap(region => {
      if (region.getBoundingClientRect().width === 0) return []
      const isCut = region.scrollWidth > region.clientWidth + 1
      const cue = region.previousElementSibling
      const isShown = cue?.classList.contains('cue') && cue.getBoundingClientRect().height > 0
      return isCut && !isShown
        ? [`${region.getAttribute('aria-label')}: ${region.scrollWidth} of ${region.clientWidth}`]
        : []
    }),
  )
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

/** The page's content policy blocks foreign scripts, so axe-core is injected through the debugger. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = await page.evaluate<AxeResult>('axe.run(document, { resultTypes: ["violations"] })')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
}

describe.skipIf(path === null)('tear sheet in a browser', () => {
  for (const [what, charts] of sheets) {
    test.each(screens)(
      `${what}, on %s: nothing overflows, overlaps, is empty or logs an error`,
      async (_, width, scheme) => {
        const { page, complaints, close } = await open(what, width, scheme)
        const found = await page.evaluate(() => ({
          overflow: document.documentElement.scrollWidth - innerWidth,
          background: getComputedStyle(document.body).backgroundColor,
          charts: [...document.querySelectorAll('svg.chart')].filter(
            chart => chart.getBoundingClientRect().height > 40,
          ).length,
        }))
        expect(complaints).toEqual([])
        expect(found.overflow).toBeLessThanOrEqual(0)
        expect(found.charts).toBe(charts)
        // Its own policy lets its style through.
        expect(found.background).toBe(scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(28, 32, 34)')
        expect(await badLabels(page)).toEqual([])
        expect(await silentlyCut(page)).toEqual([])
        expect(await findings(page)).toEqual([])
        await close()
      },
    )
  }

  test('pointing at the curve shows a date and a value', async () => {
    const { page, close } = await open('a sweep with everything', 1280, 'light')
    const chart = page.locator('svg.chart.wide').nth(1)
    await chart.scrollIntoViewIfNeeded()
    const box = await chart.boundingBox()
    if (box === null) throw new Error('the chart is not laid out')
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    const shown = await chart
      .locator('.say')
      .evaluateAll(all =>
        all.filter(one => getComputedStyle(one).visibility === 'visible').map(one => one.textContent),
      )
    expect(shown).toHaveLength(1)
    expect(shown[0]).toMatch(/^\d{4}-\d{2}-\d{2}: \d\.\d{4} \([+−]?\d+\.\d%\)$/)
    await close()
  })

  test('a region that scrolls sideways can be scrolled with the keyboard', async () => {
    const { page, close } = await open('a sweep with everything', 390, 'light')
    const folds = page.getByRole('region', { name: 'Walk-forward folds' })
    await folds.focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForTimeout(300)
    expect(await folds.evaluate(region => region.scrollLeft)).toBeGreaterThan(0)
    await close()
  })

  test('without script every section is there to read, and the table of the curve opens', async () => {
    const file = join(folder, 'plain.html')
    writeFileSync(file, pages.get('the shipped archive, the default sweep') ?? '')
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(pathToFileURL(file).href)
    for (const heading of nonEmpty(await page.locator('h2').all()))
      expect(await heading.isVisible()).toBe(true)
    await page.getByText('The net curve as a table').click()
    expect(await page.getByRole('region', { name: 'The net curve as a table' }).isVisible()).toBe(true)
    await context.close()
  })

  test('printed, it is light, fits the page and shows the wide charts', async () => {
    const { page, close } = await open('a sweep with everything', 690, 'dark') // A4 less margins of 14 mm
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const shown = await page.evaluate(() => ({
      wide: document.querySelectorAll('svg.chart.wide')[1].getBoundingClientRect().width,
      ink: getComputedStyle(document.body).color,
      paper: getComputedStyle(document.body).backgroundColor,
      overflow: document.documentElement.scrollWidth - innerWidth,
    }))
    expect(shown.wide).toBeGreaterThan(100)
    expect(shown.ink).toBe('rgb(31, 41, 51)')
    expect(shown.paper).toBe('rgb(255, 255, 255)')
    expect(shown.overflow).toBeLessThanOrEqual(0)
    await close()
  })
})
