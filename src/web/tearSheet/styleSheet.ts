import { readFileSync } from 'node:fs'
import { Markup } from '../html.ts'

export const styleText = readFileSync(new URL('./tearSheet.css', import.meta.url), 'utf8')

/** The tear sheet's only style; `contentPolicy` names it by its hash. */
export const styleSheet = new Markup(`<style>${styleText}</style>`)
