import { createHash } from 'node:crypto'
import { styleText } from './styleSheet.ts'

const hash = createHash('sha256').update(styleText).digest('base64')

/** What a tear sheet may do: show its own style. It loads nothing, runs nothing and sends nothing. Stands in the
 * document itself; a server that sends the document sends it as a header too. */
export const contentPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
