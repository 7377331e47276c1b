import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import { dataHeaders, encodedAnswer, jsonType, unchanged } from '../answers.ts'
import type { Answer } from '../context.ts'
import { ErrorBody, ProblemBody } from '../errors.ts'
import type { RouteMaker } from '../handler.ts'
import { entityTag } from '../headers.ts'
import { noQuery } from '../parameters.ts'
import type { HttpSettings } from '../services.ts'
import { documentedSchema } from './operation.ts'

const introduction = `Company figures from official filings, each under the day on which it was filed; a signal panel; costed backtests; a search for company IDs.

Try it with the public key \`demo\`, which is filled in here. Send your own as \`Authorization: Bearer <API_KEY>\`.

* **Dates** are \`YYYY-MM-DD\`, in UTC. A missing value is \`null\`.
* **Errors** all have one shape, explained on [/docs/errors](/docs/errors); \`Accept: application/problem+json\` gives RFC 9457.
* **Limits** are told by every answer; a refused request is not counted.
* **Caching**: send the \`ETag\` back as \`If-None-Match\`. Bodies are compressed (zstd, gzip) where \`Accept-Encoding\` asks for it.
* **From a browser**: any origin may call; there are no cookies.
* **Versions**: a breaking change gets \`/api/v2\`; \`/api/v1\` then carries \`Deprecation\` and \`Sunset\` for at least 12 months.

The data is not investment advice. Backtested results are hypothetical.`

const documentation = (settings: HttpSettings) => ({
  info: {
    title: 'asfiled: a point-in-time data API',
    version: settings.version,
    description: introduction,
    license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
  },
  servers: [{ url: '/', description: 'This server' }],
  tags: [
    { name: 'Fundamentals', description: 'Company figures as they were first filed.' },
    { name: 'Signals', description: 'Resolved forecasts.' },
    { name: 'Backtest', description: 'Costed strategies.' },
    { name: 'Search', description: 'From a name to an ID.' },
    { name: 'Operations', description: 'For whoever runs the service.' },
  ],
  components: {
    schemas: { Error: documentedSchema(ErrorBody), Problem: documentedSchema(ProblemBody) },
    securitySchemes: {
      bearer: { type: 'http' as const, scheme: 'bearer', description: 'An API key, or the word demo.' },
    },
  },
})

const specPath = '/openapi.json'

/** The OpenAPI document of `resources`. The plugin knows 3.0; the schemas are JSON Schema 2020-12, which is 3.1. */
export async function openapiDocument(
  settings: HttpSettings,
  resources: readonly AnyElysia[],
): Promise<string> {
  const app = new Elysia().use(
    swagger({
      provider: 'swagger-ui',
      path: '/unused',
      specPath,
      documentation: documentation(settings),
      excludeStaticFile: false,
      exclude: ['/unused', specPath],
    }),
  )
  for (const resource of resources) app.use(resource)
  const response = await app.handle(new Request(`http://localhost${specPath}`))
  const document: Record<string, unknown> = await response.json()
  return JSON.stringify({ ...document, openapi: '3.1.0' })
}

/** GET /openapi.json, made when it is first asked for. */
export function openapi(settings: HttpSettings, route: RouteMaker, resources: readonly AnyElysia[]) {
  let made: Promise<string> | undefined
  const handle = route(specPath, 'open', async (call): Promise<Answer> => {
    noQuery(call)
    made ??= openapiDocument(settings, resources)
    const body = await made
    const headers = {
      ...dataHeaders(jsonType, entityTag(0, body)),
      'Cache-Control': 'public, no-cache',
      Vary: 'Accept-Encoding',
    }
    return unchanged(call, headers) ?? encodedAnswer(call, body, headers)
  })
  return new Elysia().get(specPath, ({ request }) => handle(request), {
    detail: { hide: true },
  })
}
