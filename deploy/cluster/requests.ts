import { addDays } from '../../src/dates.ts'

/** How an answer is judged: against what the primary answers for the data version that it names (`pinned`); against the first answer to
 * the same request, but for the version (`same`), or for the figures of a tool (`figures`); or by its status alone. */
type Truth = 'pinned' | 'same' | 'figures' | 'status'

export interface LoadRequest {
  readonly kind: string
  readonly path: string
  readonly truth: Truth
  /** Given: it is posted. */
  readonly body?: string
  readonly accept?: string
}

export interface MixInput {
  /** IDs whose data changes during the load, and IDs whose data does not. */
  readonly changing: readonly string[]
  readonly steady: readonly string[]
  readonly today: string
  /** Paths of bulk files, if there are any. */
  readonly files?: readonly string[]
}

const metrics = ['revenue', 'net_income', 'assets', 'equity', 'roe', 'net_margin']
const firstDay = '2010-01-01'
const spanDays = 5_800

const get = (kind: string, path: string, truth: Truth = 'pinned'): LoadRequest => ({ kind, path, truth })
const post = (kind: string, path: string, body: object, truth: Truth = 'same'): LoadRequest => ({
  ...{ kind, path, truth, body: JSON.stringify(body) },
})

/** Random requests to every route that reads, and to those that compute. */
export function makeMix({ changing, steady, today, files = [] }: MixInput): () => LoadRequest {
  const below = (bound: number) => Math.floor(Math.random() * bound)
  const one = <T>(list: readonly T[]): T => list[below(list.length)]
  const two = (list: readonly string[]) => {
    const first = below(list.length)
    return `${list[first]},${list[(first + 1 + below(list.length - 1)) % list.length]}`
  }
  const day = () => addDays(firstDay, below(spanDays))
  const company = () => (Math.random() < 0.6 ? one(changing) : one(steady))
  const shares: readonly (readonly [number, () => LoadRequest])[] = [
    [
      20,
      () =>
        get('latest', `/api/v1/fundamentals?ticker=${company()}&view=latest&as_of=${one([today, day()])}`),
    ],
    [10, () => get('history', `/api/v1/fundamentals?ticker=${company()}&as_of=${one([today, day()])}`)],
    [
      4,
      () =>
        get(
          'table',
          `/api/v1/fundamentals?ticker=${company()}&layout=wide&metric=${one(metrics)},${one(metrics.slice(2))}&as_of=${day()}`,
        ),
    ],
    [
      3,
      () =>
        get(
          'several companies',
          `/api/v1/fundamentals?ticker=${two(changing)},${one(steady)}&view=latest&as_of=${today}`,
        ),
    ],
    [
      3,
      () =>
        get('rows as CSV', `/api/v1/fundamentals?ticker=${company()}&format=csv&as_of=${day()}`, 'status'),
    ],
    [
      4,
      () =>
        get(
          'cross-section',
          `/api/v1/cross-section?market=US&metric=${one(metrics)}&limit=${one([50, 200])}&as_of=${one([today, day()])}`,
        ),
    ],
    [
      3,
      () =>
        get(
          'restatements',
          `/api/v1/restatements?market=US&metric=${one(metrics)}&limit=50&as_of=${one([today, day()])}`,
        ),
    ],
    [4, () => get('filings', `/api/v1/filings?ticker=${company()}&as_of=${one([today, day()])}`)],
    [3, () => get('company', `/api/v1/companies/${company()}?as_of=${one([today, day()])}`)],
    [2, () => get('coverage', `/api/v1/coverage/${company()}`)],
    [1, () => get('metrics', '/api/v1/metrics?market=US')],
    [
      2,
      () =>
        get(
          'signals',
          `/api/v1/signals?market=US&limit=${one([20, 200])}&from=${one(['2013-01-01', '2014-06-01'])}`,
        ),
    ],
    [1, () => get('changes', '/api/v1/changes?since=1&limit=200', 'status')],
    [
      5,
      () =>
        get(
          'search',
          `/api/search?q=${one(['apple', 'ninten', 'samsung', 'taiwan semi', '0000320193'])}`,
          'same',
        ),
    ],
    [2, () => get('company page', `/companies/${company()}`, 'status')],
    [1, () => get('pages', one(['/', '/markets', '/markets/US', '/search?q=apple', '/catalogue']), 'status')],
    [1, () => get('documents', one(['/docs', '/docs/guides', '/openapi.json', '/health']), 'same')],
    // Rarely: a key may ask for it 60 times a minute.
    [0.3, () => get('me', '/api/v1/me', 'status')],
    [files.length === 0 ? 0 : 1, () => get('bulk file', one(files), 'same')],
    [
      2,
      () =>
        post('as-of join', '/api/v1/as-of', {
          rows: {
            date: ['2012-10-27', '2013-10-28', '2014-01-25'],
            ticker: [one(steady), one(steady), one(steady)],
          },
          ...{ metrics: ['revenue', 'roe'], fp: 'FY', with: ['end', 'filed'] },
        }),
    ],
    [
      0.2,
      () =>
        post('backtest', '/api/v1/backtest', {
          source: { market: 'US' },
          config: { holdDays: 1 + below(7) },
        }),
    ],
    [
      0.05,
      () =>
        post('sweep', '/api/v1/backtest', {
          source: { market: 'US' },
          sweep: { quantile: [0.1, 0.3], holdDays: [1, 2 + below(4)] },
        }),
    ],
    [
      0.1,
      () =>
        post(
          'batch',
          '/api/v1/backtests/batch',
          { source: { market: 'US' }, configs: [{ holdDays: 1 + below(3) }, { quantile: 0.2 }] },
          'status',
        ),
    ],
    [
      1,
      () => ({
        ...post(
          'tool',
          '/mcp',
          {
            ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
            params: {
              name: 'get_latest_fundamentals',
              arguments: { tickers: [one(steady)], metrics: ['revenue'], as_of: '2014-12-31' },
            },
          },
          'figures',
        ),
        accept: 'application/json, text/event-stream',
      }),
    ],
  ]
  const total = shares.reduce((sum, [share]) => sum + share, 0)
  return () => {
    let place = Math.random() * total
    for (const [share, make] of shares) {
      place -= share
      if (place < 0) return make()
    }
    return shares[0][1]()
  }
}
