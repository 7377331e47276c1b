import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { styleText } from '../../backtest/report/tearSheet/policy.ts'
import { Markup } from '../../html.ts'

const text = styleText + readFileSync(new URL('./report.css', import.meta.url), 'utf8')

/** The report's only style: that of tear sheets, and what an audit adds. `reportPolicy` allows it by its hash. */
export const reportStyle = new Markup(`<style>${text}</style>`)

/** The hash as a source for the policy of a page that shows a report in a frame without a URL, which inherits the
 * page's policy. */
export const reportStyleSource = `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** What a report may do: use its own style. It loads nothing, runs nothing and sends nothing. */
export const reportPolicy = [
  "default-src 'none'",
  `style-src ${reportStyleSource}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
