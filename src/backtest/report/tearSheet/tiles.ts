import { html, type Markup } from '../../../html.ts'

/** A figure with its name and its meaning. */
export interface Tile {
  /** The technical term. */
  readonly name: string
  /** The same in plain words, where the term needs them. */
  readonly plain?: string
  readonly value: string
  readonly means: string
}

export function tileList(tiles: readonly Tile[], size: 'large' | 'small'): Markup {
  return html`<dl class="tiles${size === 'small' && ' small'}">${tiles.map(
    ({ name, plain, value, means }) =>
      html`<div><dt>${name}${plain !== undefined && html` <span class="plain">${plain}</span>`}</dt><dd class="figure">${value}</dd><dd class="means">${means}</dd></div>`,
  )}</dl>`
}
