import { type ErrorCode, errorCodes } from '../../errors.ts'
import { errorStatus } from '../errorStatus.ts'
import examples from '../examples/errors.json' with { type: 'json' }
import { errorAdvice } from './errorAdvice.ts'

const captured: Partial<Record<string, unknown>> = examples

/** Every error code with its status, what to do about it, and a real answer that carries it. The anchors are what
 * `doc_url` names. */
export function errorsPage(): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>asfiled: errors</title>
    <link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/assets/docs.css">
  </head>
  <body class="errors-page">
    <main class="errors">
      <p><a href="/docs">API documentation</a></p>
      <h1>Errors</h1>
      <p>Every error has the same body. Branch on <code>type</code> or <code>code</code>; <code>message</code> is for people and may change. <code>request_id</code> finds the request in the log.</p>
      <p>With <code>Accept: application/problem+json</code> the same comes as a problem document (RFC 9457).</p>
${errorCodes.map(section).join('\n')}
    </main>
  </body>
</html>
`
}

function section(code: ErrorCode): string {
  const { status, type, title } = errorStatus(code)
  const example = captured[code]
  const shown = example === undefined ? '' : `\n      <pre>${escaped(JSON.stringify(example, null, 2))}</pre>`
  return `      <h2 id="${code}"><a href="#${code}">${code}</a></h2>
      <p><span class="status">${status}</span> <span class="status">${type}</span> ${escaped(title)}</p>
      <p>${escaped(errorAdvice[code])}</p>${shown}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
