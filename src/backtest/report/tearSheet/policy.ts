import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Markup } from '../../../html.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

export const styleText = read('../../../pageTokens.css') + read('./tearSheet.css')

/** The tear sheet's only style; `contentPolicy` allows it by its hash. */
export const styleSheet = new Markup(`<style>${styleText}</style>`)

/** The source of the style as a policy names it. A page that shows a tear sheet in a frame without an address needs it
 * too, because such a frame has the policy of its page. */
export const styleSource = `'sha256-${createHash('sha256').update(styleText).digest('base64')}'`

/** What a tear sheet may do: show its own style. It loads nothing, runs nothing and sends nothing. The document contains
 * the policy itself; a server that sends the document also sends it as a header. */
export const contentPolicy = [
  "default-src 'none'",
  `style-src ${styleSource}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
