import { addDays } from '../../src/dates.ts'

/**
 * How a response is judged. `pinned`: it must equal what the primary answers for the same data version. `same`: it must
 * equal the first response to the same request, apart from the data version. `figures`: the same for the figures in a
 * tool's result. `status`: only its status counts.
 */
type Truth = 'pinned' | 'same' | 'figures' | 'status'

export interface LoadRequest {
  readonly kind: string
  readonly path: string
  readonly truth: Truth
  /** If present, the request is a POST. */
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
  kind,
  path,
  truth,
  body: JSON.stringify(body),
})

/** Random requests to every route that reads, and to those that compute. */
export function makeMix(input: MixInput): () => LoadRequest {
  const pick = pickersOf(input)
  const shares = [
    ...companyReads(pick),
    ...marketReads(pick),
    ...pageReads(pick),
    ...fileReads(input.files ?? []),
    ...computations(pick),
  ]
  const total = shares.reduce((sum, [share]) => sum + share, 0)
  return () => {
    let remaining = Math.random() * total
    for (const [share, make] of shares) {
      remaining -= share
      if (remaining < 0) return make()
    }
    return shares[0][1]()
  }
}

/** A kind of request and how often it is made, relative to the others. */
type Share = readonly [number, () => LoadRequest]

interface Pickers {
  readonly below: (bound: number) => number
  readonly one: <T>(list: readonly T[]) => T
  readonly day: () => string
  readonly todayOrDay: () => string
  readonly company: () => string
  readonly steadyCompany: () => string
  /** Two companies whose data changes, separated by a comma. */
  readonly twoChanging: () => string
  readonly today: string
}

function pickersOf({ changing, steady, today }: MixInput): Pickers {
  const below = (bound: number) => Math.floor(Math.random() * bound)
  const one = <T>(list: readonly T[]): T => list[below(list.length)]
  const day = () => addDays(firstDay, below(spanDays))
  return {
    below,
    one,
    day,
    todayOrDay: () => one([today, day()]),
    company: () => (Math.random() < 0.6 ? one(changing) : one(steady)),
    steadyCompany: () => one(steady),
    twoChanging: () => {
      const first = below(changing.length)
      return `${changing[first]},${changing[(first + 1 + below(changing.length - 1)) % changing.length]}`
    },
    today,
  }
}

function companyReads({
  one,
  day,
  todayOrDay,
  company,
  steadyCompany,
  twoChanging,
  today,
}: Pickers): Share[] {
  const figures = '/api/v1/fundamentals?ticker='
  const columns = () => `${one(metrics)},${one(metrics.slice(2))}`
  const several = () => `${twoChanging()},${steadyCompany()}`
  return [
    [20, () => get('latest', `${figures}${company()}&view=latest&as_of=${todayOrDay()}`)],
    [10, () => get('history', `${figures}${company()}&as_of=${todayOrDay()}`)],
    [4, () => get('table', `${figures}${company()}&layout=wide&metric=${columns()}&as_of=${day()}`)],
    [3, () => get('several companies', `${figures}${several()}&view=latest&as_of=${today}`)],
    [3, () => get('rows as CSV', `${figures}${company()}&format=csv&as_of=${day()}`, 'status')],
    [4, () => get('filings', `/api/v1/filings?ticker=${company()}&as_of=${todayOrDay()}`)],
    [3, () => get('company', `/api/v1/companies/${company()}?as_of=${todayOrDay()}`)],
    [2, () => get('coverage', `/api/v1/coverage/${company()}`)],
  ]
}

function marketReads({ one, todayOrDay }: Pickers): Share[] {
  const crossSection = () =>
    `/api/v1/cross-section?market=US&metric=${one(metrics)}&limit=${one([50, 200])}&as_of=${todayOrDay()}`
  const restatements = () =>
    `/api/v1/restatements?market=US&metric=${one(metrics)}&limit=50&as_of=${todayOrDay()}`
  const signals = () =>
    `/api/v1/signals?market=US&limit=${one([20, 200])}&from=${one(['2013-01-01', '2014-06-01'])}`
  const names = ['apple', 'ninten', 'samsung', 'taiwan semi', '0000320193']
  return [
    [4, () => get('cross-section', crossSection())],
    [3, () => get('restatements', restatements())],
    [1, () => get('metrics', '/api/v1/metrics?market=US')],
    [2, () => get('signals', signals())],
    [1, () => get('changes', '/api/v1/changes?since=1&limit=200', 'status')],
    [5, () => get('search', `/api/search?q=${one(names)}`, 'same')],
  ]
}

function pageReads({ one, company }: Pickers): Share[] {
  const pages = ['/', '/markets', '/markets/US', '/search?q=apple', '/catalogue']
  const documents = ['/docs', '/docs/guides', '/openapi.json', '/health']
  return [
    [2, () => get('company page', `/companies/${company()}`, 'status')],
    [1, () => get('pages', one(pages), 'status')],
    [1, () => get('documents', one(documents), 'same')],
    // Rare, because a key may request it only 60 times a minute.
    [0.3, () => get('me', '/api/v1/me', 'status')],
  ]
}

const fileReads = (files: readonly string[]): Share[] =>
  files.length === 0
    ? []
    : [[1, () => get('bulk file', files[Math.floor(Math.random() * files.length)], 'same')]]

function computations({ below, steadyCompany }: Pickers): Share[] {
  const source = { market: 'US' }
  const joinBody = () => ({
    rows: {
      date: ['2012-10-27', '2013-10-28', '2014-01-25'],
      ticker: [steadyCompany(), steadyCompany(), steadyCompany()],
    },
    metrics: ['revenue', 'roe'],
    fp: 'FY',
    with: ['end', 'filed'],
  })
  const backtestBody = () => ({ source, config: { holdDays: 1 + below(7) } })
  const sweepBody = () => ({ source, sweep: { quantile: [0.1, 0.3], holdDays: [1, 2 + below(4)] } })
  const batchBody = () => ({ source, configs: [{ holdDays: 1 + below(3) }, { quantile: 0.2 }] })
  return [
    [2, () => post('as-of join', '/api/v1/as-of', joinBody())],
    [0.2, () => post('backtest', '/api/v1/backtest', backtestBody())],
    [0.05, () => post('sweep', '/api/v1/backtest', sweepBody())],
    [0.1, () => post('batch', '/api/v1/backtests/batch', batchBody(), 'status')],
    [1, () => toolCall(steadyCompany())],
  ]
}

const toolCall = (company: string): LoadRequest => ({
  ...post(
    'tool',
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'get_latest_fundamentals',
        arguments: { tickers: [company], metrics: ['revenue'], as_of: '2014-12-31' },
      },
    },
    'figures',
  ),
  accept: 'application/json, text/event-stream',
})
