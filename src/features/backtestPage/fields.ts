import { type TSchema, Type } from '@sinclair/typebox'
import { BacktestConfig, BacktestSource } from '../../backtest/request.ts'
import { BacktestPrices } from '../../backtest/requestPrices.ts'
import { BacktestTrading } from '../../backtest/requestTrading.ts'
import { TrialsAlreadyTried } from '../../backtest/requestTrials.ts'
import { html, type Markup } from '../../html.ts'
import type { FieldName, Typed } from './runForm.ts'

/** What all form fields share: the submitted values and the name of the invalid field. */
export interface FieldState {
  readonly typed: Typed
  readonly faulty: string | null
}

const config = BacktestConfig.properties
const source = BacktestSource.properties
const prices = BacktestPrices.properties

/** Labels and ranges come from the API's schema, so that the page cannot contradict it. */
const schemas: Partial<Record<FieldName, TSchema>> = {
  ...config,
  ...source,
  ...BacktestTrading.properties,
  trials_already_tried: TrialsAlreadyTried,
  priceHorizon: prices.horizon,
  priceDelisting: prices.delisting,
}

interface FieldText {
  readonly label: string
  /** Replaces the schema's description. */
  readonly help?: string | Markup
}

function shell(name: FieldName, state: FieldState, { label, help }: FieldText, control: Markup): Markup {
  const words = help ?? schemas[name]?.description ?? ''
  return html`<div class="setting${state.faulty === name && ' faulty'}"><label for="f-${name}">${label}</label>
${control}
<p class="help" id="h-${name}">${words}</p></div>`
}

const marks = (name: FieldName, { faulty }: FieldState) =>
  html`id="f-${name}" name="${name}" aria-describedby="h-${name}"${faulty === name && html` aria-invalid="true"`}`

/** A number field; its help text states the range. */
export function numberField(
  name: FieldName,
  state: FieldState,
  text: FieldText & { readonly step: string; readonly slides?: boolean },
): Markup {
  const schema: TSchema | undefined = schemas[name]
  const { minimum, exclusiveMinimum, maximum, default: usual, description } = schema ?? Type.Never()
  const first = minimum ?? exclusiveMinimum
  const range = `${minimum === undefined ? `Above ${exclusiveMinimum}` : `From ${minimum}`} to ${maximum?.toLocaleString('en-US')}.`
  const help = html`${text.help ?? description} ${range}${usual !== undefined && ` Empty: ${usual}.`}`
  const value = state.typed[name] ?? (text.slides === true ? String(usual ?? '') : '')
  const number = html`<input ${marks(name, state)} type="number" inputmode="decimal" min="${first}" max="${maximum}" step="${text.step}" value="${value}"${usual !== undefined && html` placeholder="${String(usual)}"`}>`
  const slider =
    text.slides === true &&
    html`<input class="with-script" type="range" min="${first}" max="${maximum}" step="${text.step}" value="${value}" data-moves="f-${name}" aria-label="${text.label}">`
  return shell(name, state, { label: text.label, help }, html`<span class="row">${number}${slider}</span>`)
}

export type Choice = readonly [value: string, label: string]

export function choiceField(
  name: FieldName,
  state: FieldState,
  text: FieldText,
  choices: readonly Choice[],
): Markup {
  const chosen = state.typed[name] ?? ''
  const options = choices.map(
    ([value, label]) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
  )
  return shell(name, state, text, html`<select ${marks(name, state)}>${options}</select>`)
}

export function textField(
  name: FieldName,
  state: FieldState,
  text: FieldText & { readonly example: string; readonly list?: string },
): Markup {
  const { example, list } = text
  return shell(
    name,
    state,
    text,
    html`<input ${marks(name, state)} type="text" value="${state.typed[name]}" placeholder="${example}" autocomplete="off" spellcheck="false" maxlength="400"${list !== undefined && html` list="${list}"`}>`,
  )
}

/** A field for a day in the format of the API. A date input would show it in the order of the browser's locale. */
export function dayField(name: FieldName, state: FieldState, text: FieldText): Markup {
  return shell(
    name,
    state,
    text,
    html`<input ${marks(name, state)} type="text" pattern="\\d{4}-\\d{2}-\\d{2}" placeholder="YYYY-MM-DD" title="A day as YYYY-MM-DD" value="${state.typed[name]}" maxlength="10" autocomplete="off" spellcheck="false">`,
  )
}

export const checkField = (name: FieldName, { typed }: FieldState, value: string, label: string): Markup =>
  html`<p class="check"><label><input type="checkbox" name="${name}" value="${value}"${typed[name] !== undefined && html` checked`}> ${label}</label></p>`

export const radioField = (
  name: FieldName,
  { typed }: FieldState,
  value: string,
  isUsual: boolean,
  label: string | Markup,
): Markup =>
  html`<p class="check"><label><input type="radio" name="${name}" value="${value}"${(typed[name] === value || (typed[name] === undefined && isUsual)) && html` checked`}> ${label}</label></p>`
