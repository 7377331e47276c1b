import { html } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { resultTitle, tearSheet } from './page.ts'

/** When a public report was opened, and until when its address works, as text. */
export interface OpenSpan {
  readonly since: string
  readonly until: string
}

/**
 * The report of a result for people who are not its owner. Positions are left out: they would show the latest
 * forecasts or figures to people without a licence for them. So is the request, which may contain rows.
 */
export function publicPage({ positions: _, request: __, ...result }: BacktestResult, open: OpenSpan): string {
  return tearSheet(result, resultTitle(result, 'Uploaded rows'), {
    publicNote: html`<p class="public">The owner of this backtest made this report public on ${open.since} UTC. Its address works until ${open.until} UTC at the latest. The names held at the end and the request are not shown. You can <a href="/backtest">run a backtest</a> of your own.</p>`,
  })
}
