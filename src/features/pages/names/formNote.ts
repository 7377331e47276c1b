import { html, type Markup } from '../../../html.ts'
import { formInWords } from './forms.ts'

/** What a form is, below its name. */
export function formNote(market: string, form: string): Markup | false {
  const words = formInWords(market, form)
  return words !== null && html` <small>${words}</small>`
}
