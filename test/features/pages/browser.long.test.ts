import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { chromiumPath, openChromium } from '../../chromium.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { codeFor } from '../account/browser.ts'
import { evaluation, memberWith } from '../account/members.ts'

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

interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of the page, and requests to another host. */
  readonly complaints: string[]
}

async function visit(route: string, options: BrowserContextOptions = {}): Promise<Visit> {
  // Each visitor comes from an address of their own: limits have their own tests.
  const extraHTTPHeaders = { 'X-Forwarded-For': `10.66.${++visitors >> 8}.${visitors & 255}` }
  const context = await browser.newContext({ extraHTTPHeaders, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type()) && !/status of 40[04] /.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== server.url && protocol !== 'data:') complaints.push(`asks for ${request.url()}`)
  })
  await page.goto(server.url + route)
  return { page, context, complaints }
}

const routes = [
  '/',
  '/search?q=apple',
  '/companies/AAPL',
  '/companies/AAPL?show=quarters',
  '/companies/AAPL?show=quarters&as_of=2010-01-25',
  '/companies/AAPL?cell=revenue.2009.FY.2009-09-26',
  '/companies/AAPL/statements',
  '/companies/AAPL/statements?statement=balance&as_of=2010-02-01&cell=us-gaap:Assets~2008-09-30~0',
  '/companies/AAPL/statements?statement=equity&view=as_filed',
  '/companies/AAPL/statements?statement=balance&view=standard',
  '/companies/AAPL/statements?view=standard&as_of=2010-02-01&cell=revenue~2009-06-30~1',
  '/companies/AAPL/statements?statement=balance&cell=us-gaap:Assets',
  '/companies/AAPL/statements?view=standard&cell=revenue',
  '/companies/AAPL/segments',
  '/companies/AAPL/segments?metric=operating_income&axis=segment',
  '/companies/65305216.DK/statements',
  '/companies/SNOW',
  '/companies/2330.TW?show=ttm',
  '/companies/0410682657.BE',
  '/companies/NOTHING',
  '/markets',
  '/markets/FR',
  '/catalogue',
  '/compare',
  '/compare?companies=AAPL,GOOGL,2330.TW&metric=revenue,net_margin',
  '/compare?companies=AAPL,GOOGL,NOTHING&view=growth&show=quarters',
  '/restatements',
  '/restatements?from=yesterday',
  '/universe?as_of=2010-03-31',
  '/strategies',
  '/strategies/accruals',
  '/strategies/piotroski_f?as_of=2012-12-31',
  '/strategies/asset_growth?market=KR',
  '/strategies/beneish_m?market=FR&company=NOTHING',
  '/screen',
  '/screen?c1=revenue&c2=roe&c3=eps&min_revenue=1bn&group=ff49&max_age_days=any',
  '/screen?c1=revenue&min_revenue=much&companies=NOSUCHCO',
  '/sample',
]

interface AxeResult {
  readonly violations: {
    readonly id: string
    readonly impact: string | null
    readonly nodes: { readonly html: string }[]
  }[]
}

/** Findings of axe-core that a person would stumble over. The policy of the page lets no foreign script in, so it comes through the
 * debugger. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const result = await page.evaluate<AxeResult>('axe.run(document, { resultTypes: ["violations"] })')
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
}

const overflow = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))

describe.skipIf(path === null)('every page in a browser', () => {
  // A test for each: on a busy machine axe-core takes half a minute for a page of 2,000 cells, and four in one test go over its time.
  for (const route of routes) {
    for (const width of [1280, 390]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        test(`${route} at ${width}, ${colorScheme}: has no serious finding and nothing overflows`, async () => {
          const { page, context, complaints } = await visit(route, {
            viewport: { width, height: 900 },
            colorScheme,
          })
          expect(await findings(page)).toEqual([])
          expect([await overflow(page), complaints]).toEqual([0, []])
          await context.close()
        })
      }

      test(`${route} at ${width} without script: nothing overflows, and nothing waits for a script`, async () => {
        const { page, context } = await visit(route, {
          viewport: { width, height: 900 },
          javaScriptEnabled: false,
        })
        expect(await overflow(page)).toBe(0)
        expect(await page.locator('h1').count()).toBe(1)
        expect(await page.locator('.with-script:visible').count()).toBe(0)
        await context.close()
      })
    }

    test(`${route}: is light and does not shift`, async () => {
      const { page, context } = await visit('/robots.txt')
      const debugging = await context.newCDPSession(page)
      await debugging.send('Network.enable')
      let bytes = 0
      debugging.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      await page.addInitScript(() => {
        Reflect.set(window, 'shift', 0)
        new PerformanceObserver(list => {
          for (const entry of list.getEntries())
            Reflect.set(
              window,
              'shift',
              Number(Reflect.get(window, 'shift')) + Number(Reflect.get(entry, 'value')),
            )
        }).observe({ type: 'layout-shift', buffered: true })
      })
      await page.goto(server.url + route, { waitUntil: 'networkidle' })
      const shift = await page.evaluate(() => Number(Reflect.get(window, 'shift')))
      // Charts and the states of the slider make the key figures of Apple the heaviest pages.
      const limit = /^\/companies\/AAPL(\?|$)/.test(route) ? 120_000 : 100_000
      expect([route, bytes > 1_000, bytes < limit, bytes]).toEqual([route, true, true, bytes])
      expect([route, shift < 0.01, shift]).toEqual([route, true, shift])
      await context.close()
    })
  }
})

describe.skipIf(path === null)('with an evaluation', () => {
  const pictures = process.env.PICTURES ?? null
  const signIn = async (context: BrowserContext) => {
    const { browser } = await memberWith(server, server.sql, evaluation)
    await context.addCookies(
      [...browser.cookies].map(([name, value]) => ({
        name,
        value,
        url: server.url,
        httpOnly: true,
        sameSite: 'Lax',
      })),
    )
  }

  for (const width of [1280, 390]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`pages at ${width}, ${colorScheme}, show what it opens, and lead to the account`, async () => {
        const { page, context, complaints } = await visit('/robots.txt', {
          viewport: { width, height: 900 },
          colorScheme,
        })
        await signIn(context)
        for (const [place, route] of [
          '/companies/SNOW',
          '/screen',
          '/restatements?metric=revenue',
        ].entries()) {
          await page.goto(server.url + route)
          if (pictures !== null)
            await page.screenshot({ path: `${pictures}/${place}-${width}-${colorScheme}.png` })
          expect([route, await findings(page)]).toEqual([route, []])
          expect([route, await overflow(page)]).toEqual([route, 0])
          if (width === 390) await page.getByRole('button', { name: 'Menu' }).click()
          expect(await page.getByRole('link', { name: 'Account' }).count()).toBe(1)
        }
        await page.goto(`${server.url}/companies/SNOW`)
        expect(await page.locator('#as-of-slider').count()).toBe(1)
        expect(await page.locator('#income ~ .scroll thead th').count()).toBeGreaterThan(2)
        await page.getByRole('link', { name: 'See how many you have used' }).click()
        await page.getByRole('heading', { name: 'Usage' }).waitFor()
        expect(complaints).toEqual([])
        await context.close()
      })
    }
  }

  test('a locked company leads through sign-in back to itself', async () => {
    const { page, context } = await visit('/companies/SNOW')
    await page.getByRole('main').getByRole('link', { name: 'sign in' }).click()
    await page.getByLabel('E-mail address').fill('back@again.example')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sign-in/code**')
    await page.getByLabel('Code').fill(codeFor(server.terminal, 'back@again.example'))
    await page.keyboard.press('Enter')
    // The address of the code's page ends with that of the company, too.
    await page.waitForURL(({ pathname }) => pathname === '/companies/SNOW')
    expect(new URL(page.url()).pathname).toBe('/companies/SNOW')
    await context.close()
  })
})

const revenue2009 = (page: Page) => {
  const column = '#income ~ .scroll thead th:has(small:text-is("2009-09-26"))'
  return page.locator(column).evaluate(head => {
    const row = head.closest('table')?.querySelector('tr[data-m="revenue"]')
    const cell = row?.children[[...(head.parentElement?.children ?? [])].indexOf(head)]
    return { text: cell?.textContent, title: cell?.getAttribute('title'), class: cell?.className }
  })
}

/** Types a day and leaves the field. */
async function typeDay(page: Page, day: string) {
  await page.getByLabel('As known on').fill(day)
  await page.getByLabel('As known on').blur()
}

describe.skipIf(path === null)('the day of a company', () => {
  test('is dragged: values change without a request, restated ones are marked, and the address keeps the day', async () => {
    const { page, context, complaints } = await visit('/companies/AAPL')
    expect(await revenue2009(page)).toMatchObject({ text: '42,90536,537', class: 'restated' })
    const requests: string[] = []
    page.on('request', request => {
      // Chromium looks for the icon of a new address, which it has.
      if (!request.url().includes('favicon')) requests.push(request.url())
    })
    const slider = page.getByRole('slider')
    await slider.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(() => location.search === '?as_of=2009-10-27')
    expect(await revenue2009(page)).toEqual({
      text: '36,537',
      title: '36,537,000,000 USD, filed 2009-10-27 (10-K)',
      class: '',
    })
    expect(await slider.getAttribute('aria-valuetext')).toBe('2009-10-27')
    expect(await page.locator('#income ~ .scroll thead th:visible').count()).toBeLessThan(6)
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(() => location.search === '?as_of=2010-01-25')
    expect(await revenue2009(page)).toMatchObject({ text: '42,90536,537', class: 'restated' })
    expect(requests).toEqual([])
    await page.reload()
    expect(await revenue2009(page)).toMatchObject({ text: '42,90536,537' })
    await typeDay(page, '2009-10-27')
    await page.waitForFunction(() => location.search === '?as_of=2009-10-27')
    expect((await revenue2009(page)).text).toBe('36,537')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('is shown by the script as the server shows it, on every stop', async () => {
    const { page, context } = await visit('/companies/AAPL')
    const shown = () =>
      page
        .locator('.statement td[title]:visible')
        .evaluateAll(cells =>
          cells.map(cell => [cell.textContent, cell.getAttribute('title'), cell.className]),
        )
    const days = await page
      .locator('#filing-days option')
      .evaluateAll(options => ['', ...options.map(option => option.getAttribute('value') ?? '')])
    expect(days.length).toBeGreaterThan(20)
    for (const day of days.filter((_, place) => place % 6 === 0)) {
      await page.goto(`${server.url}/companies/AAPL`)
      // There and back, so that the script writes every cell.
      await typeDay(page, '2009-10-27')
      if (day === '') await page.getByRole('link', { name: 'Today', exact: true }).click()
      else await typeDay(page, day)
      const byScript = await shown()
      await page.goto(`${server.url}/companies/AAPL?as_of=${day}`.replace(/\?as_of=$/, ''))
      expect([day, byScript]).toEqual([day, await shown()])
    }
    await context.close()
  })

  test('is a form without script', async () => {
    const { page, context } = await visit('/companies/AAPL', { javaScriptEnabled: false })
    await page.getByLabel('As known on').fill('2009-10-27')
    await page.getByRole('button', { name: 'Show' }).click()
    expect(new URL(page.url()).search).toBe('?as_of=2009-10-27&time=')
    const row = page.locator('tr[data-m="revenue"] td:visible')
    expect((await row.allTextContents())[0]).toBe('36,537')
    await row.first().getByRole('link').click()
    expect(new URL(page.url()).searchParams.get('cell')).toBe('revenue.2009.FY.2009-09-26')
    await context.close()
  })

  test('a figure opens its vintages with their documents, by mouse and by keyboard', async () => {
    const { page, context, complaints } = await visit('/companies/AAPL')
    await page.locator('tr[data-m="revenue"] td a').first().focus()
    await page.keyboard.press('Enter')
    await page.locator('#figure a[href^="https://www.sec.gov/"]').first().waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('figure')
    await page.keyboard.press('Escape')
    await page.locator('tr[data-m="revenue"] td.restated a').first().click()
    await page.locator('#figure svg').waitFor()
    const text = await page.locator('#figure').textContent()
    expect(text).toContain('36,537,000,000 USD')
    expect(text).toContain('10-K/A')
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe.skipIf(path === null)('standard lines', () => {
  test('show the identity of a figure by keyboard alone, and lead to its source', async () => {
    const { page, context, complaints } = await visit(
      '/companies/AAPL/statements?statement=balance&view=standard',
      { viewport: { width: 390, height: 700 } },
    )
    // The table is one tab stop.
    await page
      .getByRole('navigation', { name: 'On this page' })
      .getByRole('link', { name: 'Source', exact: true })
      .focus()
    await page.keyboard.press('Tab')
    const focused = () =>
      page.evaluate(() => {
        const cell = document.activeElement?.closest('td') ?? null
        const box = cell === null ? null : getComputedStyle(cell, '::after')
        return {
          title: cell?.getAttribute('title') ?? null,
          shown: box === null || box.position !== 'fixed' ? null : box.content,
          bottom: document.activeElement?.getBoundingClientRect().bottom ?? 0,
          boxTop: innerHeight - Number.parseFloat(box?.height ?? '0'),
        }
      })
    let figures = 0
    const keys = ['ArrowDown', 'Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight']
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press(keys[presses % keys.length] ?? '')
      const { title, shown, bottom, boxTop } = await focused()
      if (title === null) continue
      figures++
      expect(shown).toBe(`"${title}"`)
      expect([title, bottom < boxTop]).toEqual([title, true])
    }
    expect(figures).toBeGreaterThan(30)
    const [, words = ''] = /; ((?:proved|consistent): .*)/.exec((await focused()).title ?? '') ?? []
    expect(words).not.toBe('')
    await page.keyboard.press('Enter')
    await page.waitForURL('**#figure')
    await page.locator('#figure li a').first().focus()
    await page.keyboard.press('Enter')
    await page.locator('#figure a[href^="https://www.sec.gov/"]').first().waitFor()
    expect(await page.locator('#figure .checked').textContent()).toContain(words)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('lead from a statement as presented and back, with another statement and day, without script', async () => {
    const { page, context } = await visit('/companies/AAPL/statements?statement=balance', {
      javaScriptEnabled: false,
    })
    await page.getByRole('link', { name: 'Standard lines' }).click()
    await page.locator('td[data-state="proved"]').first().waitFor()
    await page.getByRole('link', { name: 'Cash flow' }).click()
    expect(await page.getByRole('link', { name: 'Standard lines' }).getAttribute('aria-current')).toBe('true')
    await page.getByLabel('As known on').fill('2009-12-31')
    await page.getByRole('button', { name: 'Show' }).click()
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      statement: 'cash_flow',
      view: 'standard',
      as_of: '2009-12-31',
    })
    await page.getByRole('link', { name: 'As presented' }).click()
    expect(new URL(page.url()).searchParams.get('as_of')).toBe('2009-12-31')
    expect(await page.locator('table.standard').count()).toBe(0)
    await context.close()
  })
})

describe.skipIf(path === null)('the first page', () => {
  test('answers as one types, and leads to the company with the keyboard alone', async () => {
    const { page, context, complaints } = await visit('/')
    await page.getByRole('combobox', { name: 'Company, symbol or registration number' }).fill('appl')
    await page.locator('.search .hits [role=option]').first().waitFor()
    expect(await page.locator('.search .hits [role=option]').first().textContent()).toContain('Apple Inc.')
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/companies/AAPL')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('searches by a form without script', async () => {
    const { page, context } = await visit('/', { javaScriptEnabled: false })
    await page.getByLabel('Company, symbol or registration number').fill('nintendo')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: '任天堂株式会社' }).click()
    expect(new URL(page.url()).pathname).toBe('/companies/E02367.JP')
    await context.close()
  })

  test('drags Apple through its restatement, and without script walks through its days', async () => {
    const { page, context } = await visit('/')
    const known = page.locator('.picture td[data-fy="2009"]')
    const slider = page.getByRole('slider')
    await slider.fill('10')
    expect(await known.textContent()).toBe('not yet filed')
    await slider.fill('100')
    expect(await known.textContent()).toBe('36,537')
    await slider.fill('200')
    expect(await known.textContent()).toBe('42,905')
    await context.close()
    const plain = await visit('/', { javaScriptEnabled: false })
    await plain.page.getByRole('link', { name: '2010-01-25' }).click()
    expect(await plain.page.locator('.picture td[data-fy="2009"]').textContent()).toBe('42,905')
    await plain.context.close()
  })
})

describe.skipIf(path === null)('a screen', () => {
  test('is sorted and filtered by its form and its headings, without script', async () => {
    const { page, context } = await visit('/screen', { javaScriptEnabled: false })
    await page.locator('input[name=min_revenue]').fill('100bn')
    await page.getByRole('button', { name: 'Screen' }).click()
    await page.getByRole('link', { name: 'Revenue ▼' }).click()
    await page.getByRole('link', { name: 'Revenue ▲' }).click()
    const shown = await page
      .locator('tbody td:first-of-type')
      .evaluateAll(cells => cells.map(cell => Number(cell.getAttribute('data-v'))))
    expect(shown.length).toBeGreaterThan(3)
    expect(shown).toEqual([...shown].sort((a, b) => b - a))
    expect(Math.min(...shown)).toBeGreaterThanOrEqual(100e9)
    await context.close()
  })

  test('has its table on the first screen and a half of a phone, and its settings folded', async () => {
    const { page, context } = await visit('/screen', { viewport: { width: 390, height: 844 } })
    const top = await page.locator('.picks table').evaluate(table => table.getBoundingClientRect().top)
    expect(top).toBeLessThan(1.5 * 844)
    expect(await page.locator('input[name=min_revenue]').isVisible()).toBe(false)
    await page.getByText('Columns and filters', { exact: true }).click()
    await page.locator('input[name=min_revenue]').fill('100bn')
    await page.getByRole('button', { name: 'Screen' }).click()
    await page.locator('.chips').getByText('Revenue from 100bn').waitFor()
    await context.close()
  })

  test('counts what is ticked, and sends two to eight companies to the comparison', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, context } = await visit('/screen', { javaScriptEnabled })
      const button = page.getByRole('button', { name: 'Compare the ticked companies' })
      if (javaScriptEnabled) expect(await button.isDisabled()).toBe(true)
      const boxes = page.locator('.picks input[type=checkbox]')
      await boxes.nth(0).check()
      if (javaScriptEnabled) expect(await button.isDisabled()).toBe(true)
      await boxes.nth(2).check()
      const ids = await boxes.evaluateAll(all =>
        [0, 2].map(at => all[at]?.getAttribute('name')?.replace('pick_', '')),
      )
      await button.click()
      await page.waitForURL(`**/compare?companies=${ids.join(',')}`)
      await context.close()
    }
  })
})
