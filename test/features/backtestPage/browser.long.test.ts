import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { chromiumPath, openChromium } from '../../chromium.ts'
import type { RealServer } from '../../http/realServer.ts'
import { type Member, memberWith } from '../account/members.ts'
import { runningServer } from './runningServer.ts'

setDefaultTimeout(180_000)

const path = chromiumPath()
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
let server: RealServer
let browser: Browser
let quant: Member
let visitors = 0

beforeAll(async () => {
  if (path === null) return
  server = await runningServer()
  quant = await memberWith(server, server.sql, { licence: 'free', quant: true })
  browser = await openChromium(path)
}, 180_000)
afterAll(async () => {
  if (path === null) return
  await browser.close()
  await server.stop()
}, 180_000)

interface Visit {
  readonly page: Page
  /** Errors of the page, and requests to another host. */
  readonly complaints: string[]
  readonly close: () => Promise<void>
}

async function visit(
  route: string,
  who: 'out' | 'quant',
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const extraHTTPHeaders = { 'X-Forwarded-For': `10.67.${++visitors >> 8}.${visitors & 255}` }
  const context = await browser.newContext({ extraHTTPHeaders, ...options })
  if (who === 'quant')
    await context.addCookies(
      [...quant.browser.cookies].map(([name, value]) => ({ name, value, url: server.url })),
    )
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type()) && !/status of 40[0134]/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== server.url && protocol !== 'data:' && protocol !== 'blob:')
      complaints.push(`asks for ${request.url()}`)
  })
  await page.goto(server.url + route)
  return { page, complaints, close: () => context.close() }
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
  const result = await page.evaluate<AxeResult>(
    'axe.run(document, { resultTypes: ["violations"], iframes: false })',
  )
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
}

const overflow = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
const report = (page: Page) => page.frameLocator('iframe.report')
const runs = /\/backtest\/runs\/[0-9a-f-]{36}$/

const rows = Array.from({ length: 60 }, (_, i) => {
  const day = new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10)
  return ['A', 'B', 'C', 'D'].map(
    (asset, place) => `${day},${asset},${(i * 7 + place * 3) % 5},${((i + place) % 7) / 1000}`,
  )
}).flat()
const csv = (lines: readonly string[]) => ({
  name: 'rows.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(`date,asset,score,forward_return\n${lines.join('\n')}\n`),
})
const good = csv(rows)
const bad = csv(rows.map((line, i) => (i === 5 ? line.replace(/,[^,]+,([^,]+)$/, ',high,$1') : line)))

describe.skipIf(path === null)('/backtest in a browser', () => {
  for (const who of ['out', 'quant'] as const)
    for (const width of [1280, 390])
      for (const colorScheme of ['light', 'dark'] as const)
        test(`${who} at ${width}, ${colorScheme}: has no serious finding and nothing overflows`, async () => {
          const options = { viewport: { width, height: 900 }, colorScheme }
          const { page, complaints, close } = await visit('/backtest?horizon=7d', who, options)
          // The section loads when it scrolls into view.
          await page.locator('iframe.report').scrollIntoViewIfNeeded()
          await report(page).locator('h1').waitFor()
          expect(await findings(page)).toEqual([])
          expect([await overflow(page), complaints]).toEqual([0, []])
          await close()
        })

  test('without a key a moved setting shows its report at once, by keyboard, too', async () => {
    const { page, complaints, close } = await visit('/backtest?horizon=7d', 'out')
    await expectText(page, 'quantile 0.1, equal weights, held 7 days')
    await report(page).getByText('10% of names').first().waitFor()
    await page.locator('#s-quantile').focus()
    await page.keyboard.press('ArrowDown')
    await expectText(page, 'quantile 0.2')
    await report(page).getByText('20% of names').first().waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('s-quantile')
    expect(page.url()).toContain('quantile=0.2')
    await page.locator('#s-run').selectOption('sweep')
    await expectText(page, 'the best of all 48')
    await report(page).getByText('All configurations tried').first().waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('a dropped file is recognised, a fault in line 7 is named, and the mended file runs', async () => {
    const { page, complaints, close } = await visit('/backtest', 'quant')
    await page.locator('#f-file').setInputFiles(bad)
    await page.getByText('line 7.score is "high"').waitFor()
    await drop(page, good)
    await page.getByText('The file is valid').waitFor()
    await page.getByText('240 rows of 4 assets').waitFor()
    expect(await page.locator('#fault').textContent()).toBe('')
    await page.locator('#f-quantile').fill('0.5')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForURL(runs)
    await page.locator('[data-state=succeeded]').waitFor()
    await report(page).getByText('50% of names').first().waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Curve as CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('backtest.csv')
    expect([await overflow(page), complaints]).toEqual([0, []])
    expect(await findings(page)).toEqual([])
    await close()
  })

  test('a sweep of the archive ends in the report of its best, on a phone', async () => {
    const phone = { viewport: { width: 390, height: 844 } }
    const { page, complaints, close } = await visit('/backtest', 'quant', phone)
    await page.locator('#f-horizon').selectOption('7d')
    await page.getByLabel('The default grid').check()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForURL(runs)
    await page.locator('[data-state=succeeded]').waitFor()
    await report(page).getByText('All configurations tried').first().waitFor()
    expect([await overflow(page), complaints]).toEqual([0, []])
    await close()
  })

  for (const javaScriptEnabled of [true, false])
    test(`a report is made public and private again ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      const options = { javaScriptEnabled, viewport: { width: 390, height: 844 } }
      const { page, complaints, close } = await visit('/backtest', 'quant', options)
      await page.locator('#f-horizon').selectOption('7d')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.waitForURL(runs)
      await page.locator('[data-state=succeeded]').waitFor()
      await page.locator('#share-days').selectOption('7')
      await page.getByRole('button', { name: 'Make a public address' }).click()
      const address = await page.locator('#public-address').inputValue()
      expect(await overflow(page)).toBe(0)
      expect(await reader(address)).toBe(200)
      if (javaScriptEnabled) {
        expect(await findings(page)).toEqual([])
        expect(await page.evaluate('document.activeElement.id')).toBe('public-address')
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
        await page.getByRole('button', { name: 'Copy address' }).click()
        await page.getByText('Copied.').waitFor()
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address)
      } else expect(await page.getByRole('button', { name: 'Copy address' }).isVisible()).toBe(false)
      for (const width of [1280, 390])
        for (const colorScheme of ['light', 'dark'] as const) {
          const shown = await visit(new URL(address).pathname, 'out', {
            viewport: { width, height: 900 },
            colorScheme,
          })
          await shown.page.getByText('made this report public').waitFor()
          expect([width, colorScheme, await findings(shown.page), await overflow(shown.page)]).toEqual([
            width,
            colorScheme,
            [],
            0,
          ])
          expect(shown.complaints).toEqual([])
          await shown.close()
        }
      await page.getByRole('button', { name: /^Revoke/ }).click()
      await page.getByRole('button', { name: /^Revoke/ }).waitFor({ state: 'detached' })
      expect(page.url()).toMatch(javaScriptEnabled ? runs : /#shares$/)
      expect([await reader(address), complaints]).toEqual([404, []])
      await close()
    })

  test('a day is typed as the API writes it, whatever the locale of the browser', async () => {
    const { page, close } = await visit('/backtest', 'quant', { locale: 'en-US' })
    const isWrong = (text: string) =>
      page.locator('#f-from').evaluate((field, typed) => {
        if (!(field instanceof HTMLInputElement)) throw new Error('no field')
        field.value = typed
        return field.validity.patternMismatch
      }, text)
    expect([await isWrong('01/02/2013'), await isWrong('2013-01-02')]).toEqual([true, false])
    expect(await page.locator('#f-from').getAttribute('placeholder')).toBe('YYYY-MM-DD')
    await close()
  })

  test('a sweep that is under way shows its progress and can be cancelled', async () => {
    const { page, complaints, close } = await visit('/backtest', 'quant')
    const grid = Array.from({ length: 200 }, (_, i) => i + 1).join(',')
    await page.getByLabel('My own grid').check()
    await page.locator('#f-holds').fill(grid.slice(0, 390).replace(/,\d*$/, ''))
    await page.locator('#f-quantiles').fill('0.05,0.1,0.15,0.2,0.25,0.3,0.4')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForURL(runs)
    await page.locator('#run-progress').waitFor()
    await page.locator('#run-progress[value]').waitFor()
    // From here on the server says that all of them have run, as it does while the statistics are computed.
    const progress = { done: 324, total: 324 }
    await page.route('**/events', route =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: `event: progress\ndata: ${JSON.stringify({ state: 'running', progress })}\n\n`,
      }),
    )
    await page.reload()
    await page.getByText('All 324 configurations have run. Computing the statistics').waitFor()
    expect(await page.locator('#run-progress').getAttribute('value')).toBe(null)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('[data-state=cancelled]').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('a pasted key runs, shows and downloads, and is nowhere in the page, its address or its storage', async () => {
    const { page, complaints, close } = await visit('/backtest', 'out')
    const addresses: string[] = []
    page.on('request', request => addresses.push(request.url()))
    await page.locator('#pasted-key').fill('nonsense')
    await page.getByRole('button', { name: 'Use it' }).click()
    await page.getByText('That is no key of this service').waitFor()
    await page.locator('#pasted-key').fill(quant.key)
    await page.getByRole('button', { name: 'Use it' }).click()
    await page.locator('#f-horizon').selectOption('7d')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.locator('[data-state=succeeded]').waitFor()
    expect(page.url()).toMatch(runs)
    await report(page).getByText('Skill or luck?').first().waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'JSON' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('backtest.json')
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Report on its own page' }).click(),
    ])
    await tab.getByText('Skill or luck?').first().waitFor()
    expect(
      await tab.evaluate(() => getComputedStyle(document.querySelector('main') ?? document.body).maxWidth),
    ).toBe('960px')
    await tab.close()
    await page.getByRole('button', { name: 'Make a public address' }).click()
    expect(await reader(await page.locator('#public-address').inputValue())).toBe(200)
    const kept = await page.evaluate(
      () =>
        document.documentElement.outerHTML +
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect([kept, ...addresses].filter(text => text.includes(quant.key))).toEqual([])
    expect(complaints).toEqual([])
    const address = page.url()
    await page.reload()
    await page.getByText('No such backtest').first().waitFor()
    await page.locator('#pasted-key').fill(quant.key)
    await page.getByRole('button', { name: 'Open it' }).click()
    await page.locator('[data-state=succeeded]').waitFor()
    expect(page.url()).toBe(address)
    await close()
  })

  test('without script the form runs, the page refreshes itself, and no key can be pasted', async () => {
    const noScript = { javaScriptEnabled: false, viewport: { width: 390, height: 844 } }
    const out = await visit('/backtest', 'out', noScript)
    expect(await out.page.locator('#pasted-key').isVisible()).toBe(false)
    expect(await overflow(out.page)).toBe(0)
    await out.page.locator('#s-quantile').selectOption('0.3')
    await out.page.getByRole('button', { name: 'Show' }).click()
    await expectText(out.page, 'quantile 0.3')
    await out.close()
    const { page, close } = await visit('/backtest', 'quant', noScript)
    await page.getByLabel('Your own file').check()
    await page.locator('#f-file').setInputFiles(bad)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('line 7.score').waitFor()
    await page.locator('#f-file').setInputFiles(good)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForURL(runs)
    await page.locator('[data-state=succeeded]').waitFor()
    expect(await overflow(page)).toBe(0)
    await close()
  })
})

/** The status of a public address for somebody without a key or an account. */
const reader = async (address: string) => (await fetch(server.url + new URL(address).pathname)).status

const expectText = (page: Page, text: string) =>
  page.locator('#stored-state', { hasText: text }).waitFor({ timeout: 30_000 })

/** Drops a file onto the page as a user would. */
async function drop(page: Page, { name, buffer }: { name: string; buffer: Buffer }): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([text, fileName]) => {
      const data = new DataTransfer()
      data.items.add(new File([text ?? ''], fileName ?? ''))
      return data
    },
    [buffer.toString(), name],
  )
  await page.locator('#drop').dispatchEvent('drop', { dataTransfer: transfer })
}
