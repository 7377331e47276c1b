import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import { jsonType, SharedDocument } from '../answers.ts'
import { ErrorBody, ProblemBody } from '../errors.ts'
import { noQuery } from '../parameters.ts'
import type { HttpPlugin, HttpSettings } from '../plugin.ts'
import { sharedParameters } from './operation.ts'
import { headers } from './responseHeaders.ts'
import { examplesOfErrors, sharedResponses } from './responses.ts'
import { documentedSchema, withNamedSchemas } from './schemas.ts'

const introduction = `Company figures from official filings, each with the day on which it was filed; forecasts and their realised returns; costed backtests; a search for company IDs.

Try it with the public key \`demo\`, or send your own key as \`Authorization: Bearer <API_KEY>\`.

* **Dates** are \`YYYY-MM-DD\`, in UTC. A missing value is \`null\`.
* **Errors** have one shape, explained on [/docs/errors](/docs/errors). \`Accept: application/problem+json\` gives the same as a problem document (RFC 9457), the schema \`Problem\`.
* **Formats**: where rows are served, \`format\` gives them as CSV, NDJSON or Parquet, too.
* **Limits** are in the headers of every response. A refused request does not count.
* **Caching**: send the \`ETag\` back as \`If-None-Match\`. Bodies are compressed (zstd, gzip) as \`Accept-Encoding\` allows.
* **Browsers**: requests from any origin are allowed; the API reads no cookies.
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
    { name: 'Fundamentals', description: 'Company figures, each with the day on which it was filed.' },
    {
      name: 'Statements',
      description: 'Whole filings: statements as presented, and every figure as stated.',
    },
    { name: 'Strategies', description: 'Published signals, as known on each day.' },
    { name: 'Signals', description: 'Resolved forecasts.' },
    { name: 'Prices', description: 'Prices that the operator imported, and forward returns from them.' },
    { name: 'Backtest', description: 'Costed strategies.' },
    { name: 'Bulk', description: 'Everything: files of each data version, and what changed since.' },
    { name: 'Search', description: 'Find the ID for a name.' },
    { name: 'Account', description: 'What a key may do.' },
    { name: 'Operations', description: 'For operators.' },
  ],
  components: {
    schemas: { ErrorAnswer: documentedSchema(ErrorBody), Problem: documentedSchema(ProblemBody) },
    headers,
    parameters: sharedParameters,
    responses: sharedResponses(),
    examples: examplesOfErrors,
    securitySchemes: {
      bearer: { type: 'http' as const, scheme: 'bearer', description: 'An API key, or the word demo.' },
    },
  },
})

const specPath = '/openapi.json'

/** The OpenAPI document of `resources`. The plugin writes OpenAPI 3.0, but the schemas are JSON Schema
 * 2020-12, which only 3.1 allows. */
async function openapiDocument(settings: HttpSettings, resources: readonly AnyElysia[]): Promise<string> {
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
  return JSON.stringify({ ...withNamedSchemas(await response.json()), openapi: '3.1.0' })
}

/** GET /openapi.json, rendered on its first request. */
export function openapiRoutes(http: HttpPlugin, settings: HttpSettings, resources: readonly AnyElysia[]) {
  const document = new SharedDocument(() => openapiDocument(settings, resources), {
    'Content-Type': jsonType,
    'Cache-Control': 'public, no-cache',
  })
  return new Elysia({ name: 'openapi' }).use(http).get(
    specPath,
    ({ context }) => {
      noQuery(context)
      return document.answer(context)
    },
    { access: 'open', detail: { hide: true } },
  )
}
