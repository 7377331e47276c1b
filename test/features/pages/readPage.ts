/** A figure in a table of a page. */
export interface ShownCell {
  readonly metric: string
  /** `FY 2009`. */
  readonly period: string
  readonly end: string
  readonly value: number
  readonly text: string
  readonly title: string
  readonly isRestated: boolean
}

export interface ReadPage {
  readonly status: number
  readonly html: string
  readonly headers: Headers
  /** Those that are not hidden. */
  readonly cells: readonly ShownCell[]
}

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
let visitors = 0

/** A page as a visitor gets it, each from another address: limits are a matter of their own tests. */
export async function readPage(url: string, headers: Record<string, string> = {}): Promise<ReadPage> {
  const visitor = ++visitors
  const response = await fetch(url, {
    headers: { Accept: browser, 'X-Forwarded-For': `10.77.${visitor >> 8}.${visitor & 255}`, ...headers },
  })
  const html = await response.text()
  return { status: response.status, html, headers: response.headers, cells: cellsIn(html) }
}

/** The figures of the statements, as a reader without script sees them. */
function cellsIn(html: string): ShownCell[] {
  const cells: ShownCell[] = []
  for (const [, table = ''] of html.matchAll(/<table class="figures">([\s\S]*?)<\/table>/g)) {
    const heads = [...table.matchAll(/<th scope="col"[^>]*>(\w+ \d{4})<small>([\d-]+)<\/small><\/th>/g)]
    for (const [, metric = '', body = ''] of table.matchAll(/<tr data-m="(\w+)"[^>]*>(.*?)<\/tr>/g)) {
      ;[...body.matchAll(/<td([^>]*)>(.*?)<\/td>/g)].forEach(([, attributes = '', content = ''], place) => {
        const value = /data-v="([^"]*)"/.exec(attributes)?.[1]
        if (value === undefined || / hidden/.test(attributes)) return
        cells.push({
          metric,
          period: heads[place]?.[1] ?? '',
          end: heads[place]?.[2] ?? '',
          value: Number(value),
          text: /<a[^>]*>(.*?)<\/a>/.exec(content)?.[1] ?? '',
          title: /title="([^"]*)"/.exec(attributes)?.[1] ?? '',
          isRestated: /class="[^"]*\brestated\b/.test(attributes),
        })
      })
    }
  }
  return cells
}
