import { html, type Markup } from '../../../html.ts'
import {
  assistantCommand,
  curlLine,
  type DataUse,
  excelFormula,
  powerQuery,
  pythonLines,
  sheetsFormula,
  toolCall,
  typescriptLines,
} from './lines.ts'

export type { DataUse } from './lines.ts'

/** The files that a page with the panel loads. */
export const useThisDataAssets = { style: 'useThisData.css', script: 'useThisData.js' } as const

/**
 * Lines that get what a page shows, for each kind of client. The block opens without a script, and its lines can be selected;
 * useThisData.js adds buttons that copy them, and keeps the lines on the day of the slider.
 *
 * @param note what differs between the page and the lines, if anything does
 */
export function useThisData(use: DataUse, note: string | null = null): Markup {
  const formula = sheetsFormula(use)
  const cells = excelFormula(use)
  const call = toolCall(use)
  return html`<details class="use-data" id="use" data-server="${use.baseUrl}"><summary>Use this data</summary>
<p class="quiet">${keyText(use)}${note !== null && ` ${note}`}</p>
<dl>
${useLine('curl', curlLine(use))}
${useLine('Python', pythonLines(use), html`The <a href="/docs/guides/python">Python client</a> returns frames of pandas or Polars.`)}
${useLine('TypeScript', typescriptLines(use), html`For typed answers see the <a href="/docs/guides/clients#typescript">guide</a>.`)}
${formula !== null && useLine('Google Sheets', formula, html`Google fetches the file itself, so this works only with a server on the public internet.`)}
${cells !== null && useLine('Excel (formula)', cells, html`One line of the tables as text, in Excel of Microsoft 365 on Windows; <code>VALUE</code> makes numbers of it. The <a href="/docs/guides/spreadsheets#excel">guide</a> has the limits.`)}
${useLine('Excel (Power Query)', powerQuery(use), html`Paste it into the Advanced Editor of a blank query and choose the credentials “Anonymous”: the <a href="/docs/guides/spreadsheets#excel">guide</a> has the steps.`)}
${
  call !== null &&
  html`${useLine('Assistants (MCP): connect once', assistantCommand(use))}
${useLine('Assistants (MCP): the tool call', call, html`The <a href="/docs/guides/assistants">guide</a> connects other assistants.`)}`
}
</dl></details>`
}

const keyText = ({ key }: DataUse) =>
  key === 'demo'
    ? html`These lines get what this page shows. They work as they are: the key <code>demo</code> is open to everybody. <a href="/account/api-keys">A key of your own</a> has higher limits.`
    : html`These lines get what this page shows. Set the environment variable <code>ASFILED_KEY</code> to <a href="/account/api-keys">your key</a> first.`

/** One line of the panel, which useThisData.js gives a button that copies it. */
export const useLine = (name: string, text: string, note: Markup | null = null): Markup =>
  html`<div><dt>${name}</dt><dd><pre><code>${text}</code></pre>${note !== null && html`<p class="quiet">${note}</p>`}</dd></div>`
