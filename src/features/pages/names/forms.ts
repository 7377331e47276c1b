import { html, type Markup } from '../../../html.ts'

const forms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  US: {
    '10-K': 'annual report',
    '10-K405': 'annual report',
    '10-KSB': 'annual report of a small company',
    '10-KT': 'report on a transition period',
    '10-Q': 'quarterly report',
    '10-QSB': 'quarterly report of a small company',
    '10-QT': 'report on a transition period',
    '8-K': 'current report',
    '20-F': 'annual report of a foreign company',
    '40-F': 'annual report of a Canadian company',
    '6-K': 'report of a foreign company',
    'DEF 14A': 'proxy statement',
    'S-1': 'registration of securities',
    'S-3': 'registration of securities',
    'S-4': 'registration of securities for a merger or an exchange',
    'NT 10-K': 'notice of a late annual report',
    'NT 10-Q': 'notice of a late quarterly report',
    '25': 'notice of removal from listing',
    '25-NSE': 'notice of removal from listing',
  },
  JP: {
    '120': 'annual securities report',
    '130': 'amended annual securities report',
    '140': 'quarterly report',
    '150': 'amended quarterly report',
    '160': 'half-year report',
    '170': 'amended half-year report',
  },
  KR: {
    '11011': 'annual report',
    '11012': 'half-year report',
    '11013': 'first-quarter report',
    '11014': 'third-quarter report',
  },
  TW: {
    Q1: 'first-quarter report',
    Q2: 'second-quarter report',
    Q3: 'third-quarter report',
    Q4: 'fourth-quarter report',
  },
  FR: {
    'annual accounts (C)': 'complete form',
    'annual accounts (S)': 'simplified form',
    'annual accounts (K)': 'consolidated form',
  },
  DK: { AARSRAPPORT: 'annual report' },
}

/** What a form of a register is, in words; null if its name says it, or if we do not know. */
export function formInWords(market: string, form: string): string | null {
  const known = Object.hasOwn(forms, market) ? forms[market] : {}
  if (Object.hasOwn(known, form)) return known[form]
  const [, amended = ''] = /^(.+)\/A$/.exec(form) ?? []
  return Object.hasOwn(known, amended) ? `amended ${known[amended]}` : null
}

/** What a form is, below its name. */
export function formNote(market: string, form: string): Markup | false {
  const words = formInWords(market, form)
  return words !== null && html` <small>${words}</small>`
}
