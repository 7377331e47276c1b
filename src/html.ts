/** Markup that is inserted into a document unescaped. Only `html`, `json` and the style sheet create it. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Markup | null | undefined | false | readonly Part[]

/** A piece of HTML or SVG. The template itself is markup; every inserted value is escaped as text unless it
 * is Markup. null, undefined and false insert nothing. */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = pieces[0]
  for (let i = 0; i < parts.length; i++) text += render(parts[i]) + pieces[i + 1]
  return new Markup(text)
}

function render(part: Part): string {
  if (typeof part === 'string') return unsafe.test(part) ? escapeText(part) : part
  if (typeof part === 'number') return String(part)
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Markup) return part.text
  return part.map(render).join('')
}

/** JSON for a data block in a page. No text in it can end the block or open a comment: a company may be
 * called `</script>`. */
export const json = (data: object): Markup =>
  new Markup(JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, unicodeEscape))

const unicodeEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Most parts are coordinates and numbers, for which this single test replaces the three passes of `escapeText`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern matches control characters on purpose
const unsafe = /[&<>"'\u0000-\u001f\u007f\ud800-\udfff]/

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Safe between tags and inside quoted attributes. Characters that HTML forbids become U+FFFD. */
function escapeText(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/[&<>"']/g, character => entities[character])
      // biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern matches control characters on purpose
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd')
  )
}
