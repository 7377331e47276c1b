import { type AbuseKind, addressOf, asDemo, flood } from '../abuse.ts'

const randomText = () => Math.random().toString(36).slice(2)
const latest = '/api/v1/fundamentals?ticker=AAPL&view=latest'

export const invalidKeys: AbuseKind = {
  about: '32 senders of requests, each with a different key that does not exist',
  prepare: () => abuse =>
    flood(abuse, 32, sender => ({
      source: addressOf(8, sender),
      path: latest,
      headers: { Authorization: `Bearer asf_live_${randomText()}${randomText()}` },
    })),
}

const hostileQueries = [
  'a',
  's',
  '%',
  '_',
  '%%%%%%',
  '*',
  'a '.repeat(90),
  'the of sa inc corp ltd co group holding '.repeat(4),
  "' or 1=1 --",
  '\\\\\\',
  '株',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
]

export const hostileSearches: AbuseKind = {
  about: '16 senders, from 64 addresses, of searches for one letter, for wildcards and for long texts',
  prepare: () => abuse =>
    flood(abuse, 16, (sender, sent) => {
      // The random suffix makes the query unique, so it is in no cache.
      const query = `${hostileQueries[(sender + sent) % hostileQueries.length]}${sent % 3 === 0 ? '' : randomText()[0]}`
      const source = addressOf(9, sender * 4 + (sent % 4))
      return { source, path: `/api/search?q=${encodeURIComponent(query)}` }
    }),
}

const metrics = ['revenue', 'net_income', 'assets', 'equity', 'roe', 'net_margin']

export const wideCrossSections: AbuseKind = {
  about:
    '16 senders, from 64 addresses, of cross-sections of six metrics, each with a different pair of filters',
  prepare: () => abuse =>
    flood(abuse, 16, (sender, sent) => {
      // No cache has a response for this bound.
      const filters = `min_revenue=${sender * 10_000 + sent}&max_roe=0.${1 + (sent % 9)}`
      const path = `/api/v1/cross-section?market=US&metric=${metrics}&limit=1000&${filters}`
      return { source: addressOf(10, sender * 4 + (sent % 4)), path, headers: asDemo }
    }),
}

/** Companies whose history is open to everybody. */
const tickers = ['AAPL', 'GOOGL', 'GOOG']

export const pageFlood: AbuseKind = {
  about: '24 readers, from 96 addresses, of pages and downloads of changing companies and days',
  prepare: () => abuse =>
    flood(abuse, 24, (sender, sent) => {
      const ticker = tickers[(sender + sent) % tickers.length]
      const day = new Date(Date.UTC(2011, 0, 1 + ((sender * 991 + sent * 17) % 4_500)))
        .toISOString()
        .slice(0, 10)
      const paths = [
        `/companies/${ticker}?as_of=${day}`,
        `/companies/${ticker}/download`,
        '/screen',
        '/catalogue',
      ]
      return { source: addressOf(11, sender * 4 + (sent % 4)), path: paths[sent % paths.length] }
    }),
}

export const signInCodes: AbuseKind = {
  about: '12 senders, from 48 addresses, of sign-in codes for mailboxes that are all different',
  prepare: () => abuse =>
    flood(abuse, 12, (sender, sent) => ({
      source: addressOf(12, sender * 4 + (sent % 4)),
      method: 'POST',
      path: '/sign-in',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' },
      body: new TextEncoder().encode(`email=${randomText()}@${randomText()}.example.com`),
    })),
}

export const forwardedClaims: AbuseKind = {
  about:
    '16 senders at one address with the demo key, which claim a different address in X-Forwarded-For each time',
  prepare: () => abuse =>
    flood(abuse, 16, (sender, sent) => ({
      source: addressOf(13, 0),
      path: latest,
      headers: { ...asDemo, 'X-Forwarded-For': `10.${sender}.${(sent >> 8) & 255}.${sent & 255}` },
    })),
}
