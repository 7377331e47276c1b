/** What a reader must be told besides the rows: the licence, the attribution, and what is missing. JSON has
 * fields for it. The formats that contain only rows use headers, and CSV also comment lines on request. */
export interface Notices {
  /** The service's licence for the response; null: the key's contract defines it. */
  readonly licence: { readonly text: string; readonly address: string } | null
  /** Where the registers publish the terms of their data. */
  readonly registerTerms: readonly string[]
  readonly attribution: readonly string[]
  readonly note: string | null
}

/** Longer notes are cut: proxies reject responses with more than about 8 kB of headers. */
const maxNoteBytes = 2_000

/** `Link` with rel="license", `X-Attribution` and `X-Note`; empty ones are omitted. */
export function noticeHeaders({
  licence,
  registerTerms,
  attribution,
  note,
}: Notices): Record<string, string> {
  const links = [
    ...(licence === null
      ? []
      : [`<${licence.address}>; rel="license"; title="${licence.text.replace(/["\\]/g, '\\$&')}"`]),
    ...registerTerms.map(url => `<${encodeURI(url)}>; rel="license"`),
  ]
  return {
    ...(links.length === 0 ? {} : { Link: links.join(', ') }),
    ...(attribution.length === 0 ? {} : { 'X-Attribution': headerText(attribution.join(' | ')) }),
    ...(note === null ? {} : { 'X-Note': cut(headerText(note)) }),
  }
}

/** Headers may contain only ASCII: everything else is percent-encoded UTF-8, as is the percent sign. */
function headerText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent)
}

function cut(encoded: string): string {
  if (encoded.length <= maxNoteBytes) return encoded
  // A truncated character at the end would not decode.
  const whole = encoded.slice(0, maxNoteBytes).replace(/(?:%[0-9A-F]{0,2})+$/, '')
  return `${whole}...`
}

/** The same notices as comment lines, for the head of a CSV. */
export function noticeLines({ licence, registerTerms, attribution, note }: Notices): string {
  return [
    ...(licence === null ? [] : [commentLine('licence', licence.text)]),
    ...registerTerms.map(url => commentLine('licence', url)),
    ...attribution.map(text => commentLine('attribution', text)),
    ...(note === null ? [] : [commentLine('note', note)]),
  ].join('')
}

/** Always a single line, whatever the text contains: a second one would be read as a row. */
export function commentLine(name: string, text: string): string {
  return `# ${name}: ${text.replace(/\s+/g, ' ').trim()}\r\n`
}
