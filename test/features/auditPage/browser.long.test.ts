import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core'
import { reportPage } from '../../../src/features/audits/report.ts'
import requests from '../../../src/http/docs/examples/requests.json' with { type: 'json' }
import { chromiumPath, openChromium } from '../../chromium.ts'
import type { RealServer } from '../../http/realServer.ts'
import { type Member, memberWith } from '../account/members.ts'
import { fullAudit } from '../audits/madeAudit.ts'
import { runningServer } from '../backtestPage/runningServer.ts'

setDefaultTimeout(180_000)

const path = chromiumPath()
/** For a person who wants to look at the pages: SCREENSHOTS names a folder. */
const folder = process.env.SCREENSHOTS
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
let server: RealServer
let browser: Browser
let member: Member
let visitors = 0

beforeAll(async () => {
  if (path === null) return
  server = await runningServer()
  member = await memberWith(server, server.sql, { licence: 'personal' })
  browser = await openChromium(path)
}, 180_000)
afterAll(async () => {
  if (path === null) return
  await browser.close()
  await server.stop()
}, 180_000)

async function visit(who: 'out' | 'member', options: BrowserContextOptions = {}) {
  const extraHTTPHeaders = { 'X-Forwarded-For': `10.66.${++visitors >> 8}.${visitors & 255}` }
  const context = await browser.newContext({ extraHTTPHeaders, ...options })
  if (who === 'member')
    await context.addCookies(
      [...member.browser.cookies].map(([name, value]) => ({ name, value, url: server.url })),
    )
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type()) && !/status of 40[03]/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto(`${server.url}/audit`)
  return { page, complaints, close: () => context.close() }
}

interface AxeResult {
  readonly violations: {
    readonly id: string
    readonly impact: string | null
    readonly nodes: { readonly html: string }[]
  }[]
}

async function findings(page: Page | Frame): Promise<string[]> {
  await page.evaluate(axe)
  const result = await page.evaluate<AxeResult>(
    'axe.run(document, { resultTypes: ["violations"], iframes: false })',
  )
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
}

const overflow = (page: Page | Frame) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
const report = (page: Page) => page.frameLocator('iframe.report')
const shoot = async (page: Page, name: string) => {
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
const sizes = [1280, 390].flatMap(width =>
  (['light', 'dark'] as const).map(colorScheme => ({ viewport: { width, height: 900 }, colorScheme })),
)
const nameOf = ({ viewport, colorScheme }: (typeof sizes)[number]) => `${viewport.width}-${colorScheme}`

describe.skipIf(path === null)('/audit in a browser', () => {
  for (const options of sizes)
    for (const who of ['out', 'member'] as const)
      test(`${who} at ${nameOf(options)}: the form and the report have no serious finding and nothing overflows`, async () => {
        const { page, complaints, close } = await visit(who, options)
        expect([await findings(page), await overflow(page)]).toEqual([[], 0])
        await shoot(page, `form-${who}-${nameOf(options)}`)
        await page.getByRole('button', { name: 'Try the sample' }).click()
        await report(page).getByRole('heading', { level: 1 }).waitFor()
        expect(await report(page).getByRole('heading', { level: 1 }).textContent()).toContain('2 of 4 cells')
        expect([await findings(page), await overflow(page)]).toEqual([[], 0])
        await shoot(page, `run-${who}-${nameOf(options)}`)
        // The frame is as high as the report, so that only the page scrolls.
        const heights = await page.locator('iframe.report').evaluate(frame => {
          if (!(frame instanceof HTMLIFrameElement)) throw new Error('it is a frame')
          return [frame.clientHeight, frame.contentDocument?.documentElement.scrollHeight ?? 0]
        })
        expect(heights[0]).toBeGreaterThanOrEqual(heights[1])
        expect(complaints).toEqual([])
        await close()
      })

  for (const options of sizes)
    test(`a report with everything in it at ${nameOf(options)}`, async () => {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      await page.setContent(reportPage(fullAudit()))
      expect([await findings(page), await overflow(page)]).toEqual([[], 0])
      await shoot(page, `report-${nameOf(options)}`)
      await context.close()
    })

  test('a chosen file is audited, and its corrected rows are downloaded', async () => {
    const { page, close } = await visit('out')
    const file = { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(requests.audit_csv) }
    await page.getByLabel('CSV, NDJSON, Parquet or Arrow stream').setInputFiles(file)
    await page.getByRole('button', { name: 'Audit', exact: true }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Corrected rows as CSV' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('audit.csv')
    expect(readFileSync(await download.path(), 'utf8')).toStartWith('date,ticker,revenue,revenue_state')
    await close()
  })

  test('a link to a filing opens a window of its own', async () => {
    const { page, close } = await visit('out')
    await page.getByRole('button', { name: 'Try the sample' }).click()
    const opening = page.context().waitForEvent('page')
    await report(page).getByRole('link', { name: '0001193125-10-012091' }).click()
    expect((await opening).url()).not.toBe(page.url())
    await close()
  })

  test('works without JavaScript: the page of a job reloads until the report is there', async () => {
    const { page, close } = await visit('member', { javaScriptEnabled: false })
    await page.getByRole('button', { name: 'Try the sample' }).click()
    await page.getByRole('link', { name: 'as Parquet' }).waitFor({ timeout: 30_000 })
    const heading = report(page).getByRole('heading', { level: 1 })
    expect(await heading.textContent()).toContain('2 of 4 cells')
    await close()
  })

  test('a refusal is read out, and the typed settings are still there', async () => {
    const { page, close } = await visit('out')
    await page.getByRole('textbox', { name: 'Columns' }).fill('sales')
    await page.getByRole('button', { name: 'Try the sample' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('such as sales=revenue')
    expect(await page.getByRole('textbox', { name: 'Columns' }).inputValue()).toBe('sales')
    expect([await findings(page), await overflow(page)]).toEqual([[], 0])
    await shoot(page, 'fault')
    await close()
  })
})
