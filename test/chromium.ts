import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Path of an installed Chromium. null, with a warning, unless LONG=1: tests in a browser take minutes and run in `.ci/long`.
 * With REQUIRE_BROWSER=1 a missing Chromium is an error, so that it cannot skip them quietly. */
export function chromiumPath(): string | null {
  if (process.env.LONG !== '1') {
    console.warn('skipped: tests in a browser run with LONG=1')
    return null
  }
  const found = places.find(path => path !== '' && existsSync(path)) ?? null
  if (found !== null) return found
  const advice = 'no Chromium here; apt-get install chromium, or set CHROMIUM_PATH'
  if (process.env.REQUIRE_BROWSER === '1') throw new Error(advice)
  console.warn(`skipped: ${advice}`)
  return null
}

export function openChromium(path: string): Promise<Browser> {
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ]
  return chromium.launch({
    executablePath: path,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...quiet],
  })
}
