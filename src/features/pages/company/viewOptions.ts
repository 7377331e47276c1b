import { html, type Markup } from '../../../html.ts'
import { splitName } from './cell.ts'
import { type CompanyPageQuery, companyPath } from './query.ts'
import type { Tables } from './statementTables.ts'

/** How to read the cells, and the choices of how they are shown. Each is a link without JavaScript. */
export function viewOptions(
  tables: Tables,
  ticker: string,
  { cell: _, changes, ...choices }: CompanyPageQuery,
): Markup {
  const { splits } = tables
  const areShown = changes === 'shown'
  const query: CompanyPageQuery = areShown ? { ...choices, changes } : choices
  const shown = companyPath(ticker, areShown ? choices : { ...choices, changes: 'shown' })
  return html`<div class="options">
<p class="legend quiet">Hover over a figure for its exact value and source. Click for every revision. A <span class="restated mark-sample">corner</span> marks restated figures.
<label class="with-script"><input type="checkbox" id="show-changes"${areShown && html` checked`}> Show changes</label>
<a class="without-script" href="${shown}">${areShown ? 'Hide changes' : 'Show changes'}</a></p>
${splits.today.length > 0 && splitsOf(tables, ticker, query)}
</div>`
}

const hidden = html` hidden`
const asFiledText =
  'Figures to the right of a purple line were filed before the split. A purple corner marks figures that only the split changed.'
const adjustedText = html`<span class="adjusted-sample">Computed</span> figures were filed before a split: divided by its ratio if per share, multiplied by it if counts.`

function splitsOf(tables: Tables, ticker: string, query: CompanyPageQuery): Markup {
  const { days, splits } = tables
  const known = new Set(splits.known.map(({ filed }) => filed))
  return html`<div class="splits"${known.size === 0 && hidden}><p class="quiet">Figures per share and share counts: ${adjustLinks(ticker, query)}. ${query.adjust === undefined ? asFiledText : adjustedText}</p>
<ul>${splits.today.map(split => html`<li data-from="${days.indexOf(split.filed)}"${!known.has(split.filed) && hidden}><span class="split-sample">${splitName(split)}</span> split, first shown by the filing of ${split.filed} (${filingLink(tables, split.accession)})</li>`)}</ul></div>`
}

function adjustLinks(ticker: string, { adjust, ...query }: CompanyPageQuery): Markup {
  const choices = [
    { name: 'as filed', path: companyPath(ticker, query), isChosen: adjust === undefined },
    {
      name: 'adjusted for splits',
      path: companyPath(ticker, { ...query, adjust: 'splits' }),
      isChosen: adjust !== undefined,
    },
  ]
  return html`${choices.map(({ name, path, isChosen }, at) => html`${at > 0 && ' or '}<a href="${path}"${isChosen && html` aria-current="true"`}>${name}</a>`)}`
}

/** The document, if a figure of the page comes from the filing. */
function filingLink({ layout, periods }: Tables, accession: string): Markup {
  for (const { key } of periods) {
    for (const metric of layout.metrics) {
      const url = layout.vintages(metric, key).find(row => row.accession === accession)?.url
      if (url !== null && url !== undefined) return html`<a href="${url}" rel="noreferrer">${accession}</a>`
    }
  }
  return html`${accession}`
}

export interface Section {
  readonly id: string
  readonly title: string
}

/** Links to the sections of the page, whose headings have these ids. */
export const sectionLinks = (sections: readonly Section[]): Markup =>
  html`<nav class="sections" aria-label="On this page">${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}</nav>`

/** Visible when they are focused: past the links and choices above the tables. */
export const skipLinks = (sections: readonly Section[]): Markup => {
  const [first] = sections
  const filings = sections.find(({ id }) => id === 'filings')
  return html`<a class="skip" href="#${first.id}">Skip to the tables</a>${filings !== undefined && html`<a class="skip" href="#${filings.id}">Skip to the filings</a>`}`
}
