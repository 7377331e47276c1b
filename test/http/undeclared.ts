import type { AnyElysia } from 'elysia'
import { bodyMediaTypes } from '../../src/formats/mediaTypes.ts'

/** What servers of this test answered although their OpenAPI document does not say so. `test/preload.ts` fails the test. */
const undeclared = new Set<string>()

export function takeUndeclared(): readonly string[] {
  const found = [...undeclared]
  undeclared.clear()
  return found
}

/** Only for the log: the client is gone. */
const clientLeft = 499

interface Reference {
  readonly $ref?: string
}
interface DocumentedResponse extends Reference {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>>
}
interface DocumentedOperation {
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly responses: Readonly<Record<string, DocumentedResponse>>
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly responses: Readonly<Record<string, DocumentedResponse>> }
}

/** Compares each answer of the app with its own document: status, media type, headers that a page in a browser may read, and the code of an
 * error. What no operation answered (an unknown route, a method that a path does not have) is not looked at. */
export function watchAnswers(app: AnyElysia): void {
  const handled = app.handle
  let document: Promise<OpenApi> | undefined
  const read = async (): Promise<OpenApi> =>
    (await handled(new Request('http://localhost/openapi.json'))).json()
  app.wrap((handle, request) => async (...given: unknown[]) => {
    const response = await handle(...given)
    // HTTP/1.0 may come without a host.
    const { pathname } = new URL(request.url, 'http://localhost')
    if (
      !(response instanceof Response) ||
      response.status === clientLeft ||
      !/^\/(api\/|health$|ready$)/.test(pathname)
    )
      return response
    document ??= read()
    for (const fault of await faultsOf(await document, request, pathname, response)) undeclared.add(fault)
    return response
  })
}

async function faultsOf(document: OpenApi, request: Request, pathname: string, response: Response) {
  const path = documentedPath(document, pathname)
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase()
  const operation = path === null ? undefined : document.paths[path]?.[method]
  if (operation === undefined) return []
  const { status } = response
  const code = await errorCodeOf(response)
  // A path that is written in another form than its route reaches no operation.
  if (code === 'route_unknown') return []
  const found = `${request.method} ${path} answered ${status}`
  const given = operation.responses[status]
  if (given === undefined) return [`${found} (${code ?? 'no error'}), which is not in its responses.`]
  const { headers = {}, content = {} } =
    given.$ref === undefined
      ? given
      : (document.components.responses[given.$ref.split('/').at(-1) ?? ''] ?? given)
  return [
    ...mediaFaults(content, response, code).map(fault => `${found} ${fault}`),
    ...headerFaults(headers, response).map(fault => `${found} ${fault}`),
    ...(status < 300 ? bodyFaults(operation, request).map(fault => `${found} ${fault}`) : []),
  ]
}

/** Of two that fit the one without parameters: /backtests/batch is no {id}. */
function documentedPath({ paths }: OpenApi, pathname: string): string | null {
  if (paths[pathname] !== undefined) return pathname
  const sent = pathname.split('/')
  const fits = (path: string) => {
    const parts = path.split('/')
    return parts.length === sent.length && parts.every((part, n) => part.startsWith('{') || part === sent[n])
  }
  return Object.keys(paths).find(fits) ?? null
}

const essenceOf = (type: string | null) => type?.split(';')[0].trim().toLowerCase() ?? null

async function errorCodeOf(response: Response): Promise<string | null> {
  if (response.status < 400 || !/json/.test(response.headers.get('content-type') ?? '')) return null
  const text = await response.clone().text()
  if (text === '') return null
  const { error, code } = JSON.parse(text)
  return error?.code ?? code
}

function mediaFaults(
  content: NonNullable<DocumentedResponse['content']>,
  response: Response,
  code: string | null,
): string[] {
  const type = essenceOf(response.headers.get('content-type'))
  const declared = Object.keys(content)
  if (type === null) return declared.length === 0 ? [] : ['without a Content-Type.']
  const media = content[type]
  if (media === undefined) return [`as ${type}, which is not in ${declared.join(', ')}.`]
  const codes = Object.keys(content['application/json']?.examples ?? {})
  return code === null || codes.includes(code)
    ? []
    : [`with the code ${code}, which is not in ${codes.join(', ')}.`]
}

function headerFaults(headers: NonNullable<DocumentedResponse['headers']>, response: Response): string[] {
  const known = Object.keys(headers).map(name => name.toLowerCase())
  const exposed = response.headers.get('access-control-expose-headers')?.toLowerCase().split(', ') ?? []
  const sent = exposed.filter(name => response.headers.has(name) && !known.includes(name))
  return sent.map(name => `with the header ${name}, which it does not declare.`)
}

/** The first media type of each format stands for the others, which the description names. */
const formats = Object.values(bodyMediaTypes)

function bodyFaults({ requestBody }: DocumentedOperation, { headers }: Request): string[] {
  const type = essenceOf(headers.get('content-type'))
  if (requestBody === undefined || type === null) return []
  const declared = Object.keys(requestBody.content)
  const names = [type, ...formats.filter(types => types.includes(type)).map(([first]) => first)]
  return names.some(name => declared.includes(name))
    ? []
    : [`to a body of ${type}, which it does not declare.`]
}
