import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'

const folder = resolve(import.meta.dir, 'fixtures')
const usFolder = resolve(import.meta.dir, '../registers/us/fixtures')
const fixture = (name: string) =>
  readFileSync(resolve(name.startsWith('us:') ? usFolder : folder, name.replace('us:', '')))
const json = (name: string) => JSON.parse(fixture(name).toString())

/** Credentials that must not appear anywhere. */
export const secrets = {
  EDINET_KEY: 'edinet-key-4711-secret',
  OPENDART_KEY: 'opendart key/4712&secret',
  INPI_USER: 'inpi-user-4713-secret',
  INPI_PASSWORD: 'inpi-password-4714-secret',
  NBB_KEY: 'nbb-key-4715-secret',
}
const token = 'inpi-token-4716-secret'
export const allSecrets = [...Object.values(secrets), encodeURIComponent(secrets.OPENDART_KEY), token]

export interface Reply {
  status: number
  body: Uint8Array | string
  headers?: Record<string, string>
}

export type PlannedFailure =
  | { readonly reply: Reply }
  /** Half of the response, with the length of the whole. */
  | 'half'
  /** No response, as long as the client waits. */
  | 'hang'

export interface Replay {
  readonly settings: Record<string, string>
  /** Method and path with query, without credentials, in order of arrival. */
  readonly requests: string[]
  /** Makes the next requests whose path contains `part` fail, one after the other. */
  failNext(part: string, ...failures: PlannedFailure[]): void
  /** Answers all later requests whose path contains `part` with `reply`. */
  replace(part: string, reply: Reply): void
  stop(): Promise<void>
}

/** A server on loopback that answers like the eight registers, each below its own path. */
export async function startReplay(): Promise<Replay> {
  const requests: string[] = []
  const failures: { part: string; failure: PlannedFailure }[] = []
  const replaced = new Map<string, Reply>()
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://register')
    let body = ''
    for await (const chunk of request) body += chunk
    const seen = new URL(url)
    for (const name of ['Subscription-Key', 'crtfc_key']) seen.searchParams.delete(name)
    const path = decodeURIComponent(seen.pathname + seen.search)
    requests.push(`${request.method} ${path}`)
    const index = failures.findIndex(({ part }) => path.includes(part))
    const failure = index < 0 ? undefined : failures.splice(index, 1)[0].failure
    if (failure === 'hang') return
    const known = [...replaced].find(([part]) => path.includes(part))?.[1]
    const reply = typeof failure === 'object' ? failure.reply : (known ?? answer(url, request, body))
    send(request, response, reply, failure === 'half')
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    requests,
    settings: {
      REGISTERS_URL: base,
      SEC_URL: `${base}/sec`,
      SEC_DATA_URL: `${base}/sec-data`,
      SEC_CONTACT: 'Test Firm test@firm.example',
      EDINET_URL: `${base}/edinet`,
      EDINET_CODES_URL: `${base}/edinet-codes`,
      OPENDART_URL: `${base}/opendart`,
      TWSE_URL: `${base}/twse`,
      INPI_URL: `${base}/inpi`,
      NBB_URL: `${base}/nbb`,
      VIRK_URL: `${base}/virk`,
      VIRK_DOCUMENTS_URL: `${base}/virk-documents`,
      CHARITIES_URL: `${base}/charities`,
      ...secrets,
    },
    failNext: (part, ...all) => failures.push(...all.map(failure => ({ part, failure }))),
    replace: (part, reply) => replaced.set(part, reply),
    stop: () =>
      new Promise(stopped => {
        server.close(() => stopped())
        server.closeAllConnections()
      }),
  }
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply, half: boolean): void {
  const body = Buffer.from(reply.body)
  const etag = `"${Bun.hash.xxHash3(body).toString(36)}"`
  if (reply.status === 200 && request.headers['if-none-match'] === etag) {
    response.writeHead(304).end()
    return
  }
  const isSec = request.url?.startsWith('/sec')
  response.writeHead(reply.status, {
    'Content-Length': String(body.length),
    ...(reply.status === 200 && isSec ? { ETag: etag } : {}),
    ...reply.headers,
  })
  if (!half) {
    response.end(body)
    return
  }
  response.write(body.subarray(0, body.length / 2))
  setTimeout(() => request.socket.destroy(), 20)
}

const ok = (body: Uint8Array | string | object): Reply => ({
  status: 200,
  body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
})
const missing: Reply = { status: 404, body: 'not here' }

function answer(url: URL, request: IncomingMessage, body: string): Reply {
  const [, register, ...rest] = url.pathname.split('/')
  const path = rest.join('/')
  switch (register) {
    case 'sec':
    case 'sec-data':
      return request.headers['user-agent']?.startsWith('Test Firm test@firm.example')
        ? sec(path)
        : { status: 403, body: '' }
    case 'edinet':
    case 'edinet-codes':
      return register === 'edinet-codes' ? ok(fixture('jp-S100WHUS.zip')) : edinet(path, url.searchParams)
    case 'opendart':
      return openDart(path, url.searchParams)
    case 'twse':
      return twse(path)
    case 'inpi':
      return inpi(path, request, body)
    case 'nbb':
      return nbb(path, request)
    case 'virk':
    case 'virk-documents':
      return register === 'virk' ? virk(body) : ok(Bun.gzipSync(fixture('dk-report.xml')))
    case 'charities':
      return charities(url.searchParams)
    default:
      return missing
  }
}

function sec(path: string): Reply {
  switch (path) {
    case 'files/company_tickers.json':
      return ok(fixture('us:company_tickers.json'))
    case 'submissions/CIK0000320193.json':
      return ok(fixture('us:submissions-aapl.json'))
    case 'api/xbrl/companyfacts/CIK0000320193.json':
      return ok(fixture('us:companyfacts-aapl-fy2009.json'))
    case 'api/xbrl/companyfacts/CIK0001997711.json':
      return ok(fixture('us:companyfacts-lpa.json'))
    case 'Archives/edgar/daily-index/2025/QTR4/index.json':
      return ok({ directory: { item: [{ name: 'form.20251031.idx' }, { name: 'master.20251031.idx' }] } })
    case 'Archives/edgar/daily-index/2025/QTR4/master.20251031.idx':
      return ok(fixture('us-master.idx'))
    default:
      return missing
  }
}

function edinet(path: string, query: URLSearchParams): Reply {
  // Like EDINET: status 200 with the error in the body.
  if (query.get('Subscription-Key') !== secrets.EDINET_KEY)
    return ok({ StatusCode: 401, message: 'Access denied due to invalid subscription key.' })
  if (path === 'documents.json') {
    const day = query.get('date')
    const list = json('jp-documents.json')
    return ok(
      day === '2025-06-27'
        ? list
        : { ...list, metadata: { ...list.metadata, resultset: { count: 0 } }, results: [] },
    )
  }
  if (path === 'documents/S100W81U' && query.get('type') === '5') return ok(fixture('jp-S100WHUS.zip'))
  return ok({ metadata: { status: '404', message: 'Not Found' } })
}

function openDart(path: string, query: URLSearchParams): Reply {
  const isKnown = query.get('crtfc_key') === secrets.OPENDART_KEY
  if (path === 'corpCode.xml') {
    const refused =
      '<?xml version="1.0"?><result><status>010</status><message>등록되지 않은 키</message></result>'
    return ok(isKnown ? fixture('kr-corpCode.zip') : refused)
  }
  if (!isKnown) return ok({ status: '010', message: '등록되지 않은 키입니다.' })
  const nothing = ok({ status: '013', message: '조회된 데이타가 없습니다.' })
  if (path === 'list.json') return query.get('bgn_de') === '20201116' ? ok(fixture('kr-list.json')) : nothing
  if (path === 'company.json') {
    const { corp_code, corp_name, stock_code, corp_cls } = json('kr-list.json').list[0]
    return ok({ status: '000', message: '정상', corp_code, corp_name, stock_code, corp_cls, acc_mt: '12' })
  }
  const wanted = ['corp_code', 'bsns_year', 'reprt_code', 'fs_div'].map(name => query.get(name)).join('_')
  return wanted === '00164779_2020_11014_CFS' ? ok(fixture(`kr-fnlttSinglAcntAll_${wanted}.json`)) : nothing
}

/** A row of the list of companies in the columns that the exchange's description of its interface names. */
const companyList = JSON.stringify([
  {
    出表日期: '1150821',
    公司代號: '1101',
    公司名稱: '臺灣水泥股份有限公司',
    公司簡稱: '台泥',
    英文簡稱: 'TCC',
  },
])

function twse(path: string): Reply {
  if (/^opendata\/t187ap0[67]_L_ci$/.test(path)) return ok(fixture(`tw-${path.slice(9)}.json`))
  if (path === 'opendata/t187ap03_L') return ok(companyList)
  return /^opendata\/t187ap0[67]_L_(basi|bd|fh|ins|mim)$/.test(path) ? ok('[]') : missing
}

function inpi(path: string, request: IncomingMessage, body: string): Reply {
  if (path === 'sso/login') {
    const { username, password } = JSON.parse(body)
    const isKnown = username === secrets.INPI_USER && password === secrets.INPI_PASSWORD
    return isKnown ? ok({ token, user: { email: 'a@b.example' } }) : { status: 401, body: '{"code":401}' }
  }
  if (request.headers.authorization !== `Bearer ${token}`) return { status: 401, body: '{"code":401}' }
  if (path === 'companies/377708425/attachments') return ok(fixture('fr-attachments.json'))
  return path === 'bilans-saisis/63df98a88eded29cb3182411' ? ok(fixture('fr-bilan-saisi.json')) : missing
}

function nbb(path: string, request: IncomingMessage): Reply {
  if (request.headers['nbb-cbso-subscription-key'] !== secrets.NBB_KEY) return { status: 401, body: '' }
  if (!/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(String(request.headers['x-request-id'])))
    return { status: 400, body: '' }
  if (path === 'authentic/legalEntity/0400003551/references') return ok(fixture('be-references.json'))
  const isFigures = request.headers.accept === 'application/x.jsonxbrl'
  return path === 'authentic/deposit/2024-00290653/accountingData' && isFigures
    ? ok(fixture('be-accountingData.json'))
    : missing
}

function virk(body: string): Reply {
  const { search_after: after, query } = JSON.parse(body)
  const from =
    query.bool.filter.find((one: { range?: object }) => one.range)?.range.offentliggoerelsesTidspunkt.gte ??
    ''
  const hits = json('dk-hits.json')
    .filter(
      (hit: { _source: { offentliggoerelsesTidspunkt: string } }) =>
        hit._source.offentliggoerelsesTidspunkt >= from,
    )
    .map((hit: { _id: string; _source: { offentliggoerelsesTidspunkt: string } }) => ({
      ...hit,
      sort: [Date.parse(hit._source.offentliggoerelsesTidspunkt), hit._id],
    }))
  return ok({ took: 1, hits: { total: hits.length, hits: after ? [] : hits } })
}

function charities(query: URLSearchParams): Reply {
  const after = Number(/AnnualReturnId gt (\d+)/.exec(query.get('$filter') ?? '')?.[1])
  const numberOf = (row: { __metadata: { uri: string } }) =>
    Number(/AnnualReturnId=(\d+)/.exec(row.__metadata.uri)?.[1])
  const rows = json('nz-returns.json').d.sort(
    (a: { __metadata: { uri: string } }, b: { __metadata: { uri: string } }) => numberOf(a) - numberOf(b),
  )
  return ok({ d: rows.filter((row: { __metadata: { uri: string } }) => numberOf(row) > after) })
}
