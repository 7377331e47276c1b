import { expect } from 'bun:test'
import { mkdirSync } from 'node:fs'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { nonEmpty } from '../../nonEmpty.ts'
import { codeFor } from './browser.ts'

/** Where pictures of the pages go, to be looked at; none without it. */
export const pictures = process.env.PICTURES ?? null
if (pictures !== null) mkdirSync(pictures, { recursive: true })

const screens = [1280, 390].flatMap(width =>
  (['light', 'dark'] as const).map(colorScheme => ({ width, colorScheme })),
)

/** On every screen size, nothing is wider than the screen and axe has no serious or critical finding. */
export async function checkOnScreens(page: Page, name: string): Promise<void> {
  for (const { width, colorScheme } of nonEmpty(screens)) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect([name, width, overflow > 0]).toEqual([name, width, false])
    if (pictures !== null)
      await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png`, fullPage: true })
    await page.evaluate(axe.source)
    const findings = await page.evaluate(async () => {
      const { violations } = await Reflect.get(window, 'axe').run()
      return violations
        .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
        .map(
          (finding: { id: string; nodes: { html: string }[] }) => `${finding.id}: ${finding.nodes[0].html}`,
        )
    })
    expect([name, width, colorScheme, findings]).toEqual([name, width, colorScheme, []])
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** Opens an account page, which redirects to the sign-in page and back. */
export async function signInAt(
  page: Page,
  { url, terminal }: { readonly url: string; readonly terminal: string[] },
  path: string,
  email: string,
): Promise<void> {
  await page.goto(`${url}${path}`)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Send the code' }).click()
  await page.waitForURL('**/sign-in/code**')
  await page.getByLabel('Code').fill(codeFor(terminal, email))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**${path}`)
}
