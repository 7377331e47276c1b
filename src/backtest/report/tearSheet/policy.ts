import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Markup } from '../html.ts'

export const styleText = readFileSync(new URL('./tearSheet.css', import.meta.url), 'utf8')

/** The tear sheet's only style; `contentPolicy` names it by its hash. */
export const styleSheet = new Markup(`<style>${styleText}</style>`)

const hash = createHash('sha256').update(styleText).digest('base64')

/** What a tear sheet may do: show its own style. It loads nothing, runs nothing and sends nothing. Stands in the
 * document itself; a server that sends the document sends it as a header too. */
export const contentPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
