import { dirname, posix, resolve } from 'node:path'
import { addresses, audiences, type GuideName, guides, repository, titles, withAddress } from './guideList.ts'

/** /docs/guides/{name}.md: the guide as Markdown, for assistants and other programs that read text. Links into the repository lead to the Markdown of this server. */
export async function guideMarkdown(name: GuideName, baseUrl: string): Promise<string> {
  const file = guides[name]
  const text = withAddress(name, await Bun.file(resolve(repository, file)).text(), baseUrl)
  return outsideCode(text, line =>
    line.replace(
      /(!?)\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)/g,
      (whole, image: string, label: string, target: string) => {
        const served = servedTarget(target, file)
        if (served === null) return label
        return served === target ? whole : `${image}[${label}](${baseUrl}${served})`
      },
    ),
  )
}

/** The address of what a link of a guide leads to; null if this server does not have it. */
function servedTarget(target: string, from: string): string | null {
  if (target.startsWith('#') || /^[a-z]+:/.test(target)) return target
  const [path, anchor] = target.split('#')
  const address = addresses.get(posix.join(dirname(from), path))
  if (address === undefined) return null
  const document = address.startsWith('/docs/guides/') ? `${address}.md` : address
  return anchor === undefined ? document : `${document}#${anchor}`
}

/** Rewrites the lines outside fenced blocks of code. */
function outsideCode(markdown: string, rewrite: (text: string) => string): string {
  return markdown
    .split(/^(```[^\n]*\n[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 === 0 ? rewrite(part) : part))
    .join('')
}

/** The heading and the first paragraph of a guide, as plain text. */
async function summaryOf(name: GuideName): Promise<{ readonly title: string; readonly summary: string }> {
  const markdown = await Bun.file(resolve(repository, guides[name])).text()
  const heading = /^# (.+)$/m.exec(markdown)?.[1] ?? name
  const paragraph = markdown.split(/\n{2,}/).find(part => /^[^#|!<`\s-]/.test(part)) ?? ''
  const plain = paragraph
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('\n', ' ')
    .trim()
  return { title: titles[name] ?? heading, summary: plain }
}

/** /llms.txt: what an assistant should read of this server, in the form of llmstxt.org. */
export async function llmsText(baseUrl: string): Promise<string> {
  const sections = await Promise.all(
    audiences.map(async ({ title, names }) => {
      const lines = await Promise.all(
        names.map(async name => {
          const guide = await summaryOf(name)
          return `- [${guide.title}](${baseUrl}/docs/guides/${name}.md): ${guide.summary}`
        }),
      )
      return `## ${title}\n\n${lines.join('\n')}\n`
    }),
  )
  return `# asfiled

> Company figures from official registers as they were known on any day, each under the day on which it was filed; forecasts with their realised returns; and costed, walk-forward backtests that cannot look ahead.

Rules for answers from this data:

- State the day: a figure is what was known on that day (\`as_of\`), and a later filing may have restated it.
- Quote a value as it is, with its unit, fiscal period and filing. A field that is missing is unknown, never zero.
- Read \`note\` of each answer: it says what was left out and why. Keep the attributions.

The public key \`demo\` works without registration: \`curl -H 'Authorization: Bearer demo' '${baseUrl}/api/v1/fundamentals?ticker=AAPL'\`. It sees the most recent fiscal year of each company.

## API

- [OpenAPI 3.1](${baseUrl}/openapi.json): every route, parameter and answer, with types.
- [Tools for assistants](${baseUrl}/docs/guides/assistants.md): the same data through the Model Context Protocol, at ${baseUrl}/mcp.
- [Metrics](${baseUrl}/docs/metrics): the name, unit and definition of each metric.
- [Errors](${baseUrl}/docs/errors): every error code, and what to do about it.

${sections.join('\n')}`
}
