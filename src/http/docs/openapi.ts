import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import { dataHeaders, encodedAnswer, jsonType, notModified } from '../answers.ts'
import { ErrorBody, ProblemBody } from '../errors.ts'
import { entityTag } from '../headers.ts'
import { noQuery } from '../parameters.ts'
import type { HttpPlugin, HttpSettings } from '../plugin.ts'
import { documentedSchema } from './operation.ts'

const introduction = `Company figures from official filings, each under the day on which it was filed; a signal panel; costed backtests; a search for company IDs.

Try it with the public key \`demo\`, which is filled in here. Send your own as \`Authorization: Bearer <API_KEY>\`.

* **Dates** are \`YYYY-MM-DD\`, in UTC. A missing value is \`null\`.
* **Errors** have one shape, explained on [/docs/errors](/docs/errors). \`Accept: application/problem+json\` gives RFC 9457.
* **Limits** are in the headers of every answer. A refused request does not count.
* **Caching**: send the \`ETag\` back as \`If-None-Match\`. Bodies are compressed (zstd, gzip) as \`Accept-Encoding\` allows.
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
    { name: 'Fundamentals', description: 'Company figures under the day on which they were filed.' },
    { name: 'Signals', description: 'Resolved forecasts.' },
    { name: 'Backtest', description: 'Costed strategies.' },
    { name: 'Search', description: 'From a name to an ID.' },
    { name: 'Operations', description: 'For operators.' },
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

/** GET /openapi.json, made at its first request. */
export function openapiRoutes(http: HttpPlugin, settings: HttpSettings, resources: readonly AnyElysia[]) {
  let document: Promise<string> | undefined
  return new Elysia({ name: 'openapi' }).use(http).get(
    specPath,
    async ({ context }) => {
      noQuery(context)
      document ??= openapiDocument(settings, resources)
      const body = await document
      const headers = {
        ...dataHeaders(jsonType, entityTag(0, body)),
        'Cache-Control': 'public, no-cache',
        Vary: 'Accept-Encoding',
      }
      return notModified(context, headers) ?? encodedAnswer(context, body, headers)
    },
    { access: 'open', detail: { hide: true } },
  )
}
