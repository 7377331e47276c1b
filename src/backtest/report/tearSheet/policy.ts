import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Markup } from '../../../html.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

export const styleText = read('../../../pageTokens.css') + read('./tearSheet.css')

/** The tear sheet's only style; `contentPolicy` allows it by its hash. */
export const styleSheet = new Markup(`<style>${styleText}</style>`)

/** The style's hash as a source for a policy. A page that shows a tear sheet in a frame without a URL needs
 * it as well, because such a frame inherits the page's policy. */
export const styleSource = `'sha256-${createHash('sha256').update(styleText).digest('base64')}'`

/** What a tear sheet may do: use its own style. It loads nothing, runs nothing and sends nothing. The
 * document contains the policy itself; a server that sends the document also sends the policy as a header. */
export const contentPolicy = [
  "default-src 'none'",
  `style-src ${styleSource}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
