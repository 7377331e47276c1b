import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Path of an installed Chromium. null, with a warning, where there is none: browser tests are then skipped. */
export function chromiumPath(): string | null {
  const found = places.find(path => path !== '' && existsSync(path)) ?? null
  if (found === null)
    console.warn('skipped: no Chromium here; apt-get install chromium, or set CHROMIUM_PATH')
  return found
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
