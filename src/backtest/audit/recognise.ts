/**
 * What columns are called in files of other sources, by metric: plain words, Compustat's mnemonics, and the names of
 * common vendors. A name is compared in lower case without anything but letters and digits.
 */
const namesOfMetrics: Readonly<Record<string, readonly string[]>> = {
  revenue: [
    'revenue',
    'revenues',
    'sales',
    'netsales',
    'totalrevenue',
    'totalrevenues',
    'turnover',
    'sale',
    'revt',
    'rev',
  ],
  gross_profit: ['grossprofit', 'gp', 'grossmargindollars'],
  operating_income: ['operatingincome', 'operatingprofit', 'ebit', 'oiadp', 'opinc', 'operatingincomeloss'],
  net_income: ['netincome', 'netprofit', 'earnings', 'profit', 'ni', 'netincomeloss', 'netinc', 'netinccmn'],
  assets: ['assets', 'totalassets', 'at', 'assetstotal'],
  current_assets: ['currentassets', 'totalcurrentassets', 'assetscurrent', 'act', 'assetsc'],
  liabilities: ['liabilities', 'totalliabilities', 'lt'],
  current_liabilities: [
    'currentliabilities',
    'totalcurrentliabilities',
    'liabilitiescurrent',
    'lct',
    'liabilitiesc',
  ],
  equity: [
    'equity',
    'totalequity',
    'stockholdersequity',
    'shareholdersequity',
    'bookvalue',
    'ceq',
    'seq',
    'bookequity',
  ],
  cash: ['cash', 'cashandequivalents', 'cashandcashequivalents', 'che', 'cashneq', 'cashnequsd'],
  operating_cash_flow: ['operatingcashflow', 'cashfromoperations', 'cfo', 'oancf', 'ncfo'],
  eps: ['eps', 'epsbasic', 'basiceps', 'epspx'],
  eps_basic: ['epsbasic', 'basiceps', 'eps', 'epspx'],
  eps_diluted: ['epsdiluted', 'dilutedeps', 'epsdil', 'epsfx'],
  shares_basic: ['sharesbasic', 'shareswa', 'weightedaverageshares'],
  shares_diluted: ['sharesdiluted', 'shareswadil', 'weightedaveragesharesdiluted'],
  inventory: ['inventory', 'inventories', 'invt'],
  receivables: ['receivables', 'accountsreceivable', 'rect'],
  capital_expenditure: ['capex', 'capitalexpenditure', 'capitalexpenditures', 'capx'],
  research_and_development: ['rnd', 'rd', 'researchanddevelopment', 'xrd'],
  long_term_debt: ['longtermdebt', 'dltt'],
  retained_earnings: ['retainedearnings', 're'],
}

/** Endings that say which kind of period a column has, or that a mnemonic is quarterly. */
const endings = [
  '',
  'ttm',
  'ltm',
  'fy',
  'annual',
  'a',
  'quarterly',
  'quarter',
  'mrq',
  'mry',
  'mrt',
  'art',
  'arq',
  'ary',
  'q',
  'usd',
  'm',
  'mm',
]

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/**
 * The metric that the name of a column stands for.
 *
 * @returns null if it stands for none, or for several
 */
export function metricOfName(name: string, metrics: Iterable<string>): string | null {
  const known = new Set(metrics)
  if (known.has(name)) return name
  const sent = plain(name)
  const spelled = new Map([...known].map(metric => [plain(metric), metric]))
  for (const ending of endings) {
    if (!sent.endsWith(ending)) continue
    const stem = sent.slice(0, sent.length - ending.length)
    // Two letters and an ending may be anything: ltm is no liability. Only quarterly mnemonics are so short.
    if (stem.length < 3 && ending !== '' && ending !== 'q') continue
    const exact = spelled.get(stem)
    if (exact !== undefined) return exact
    for (const [metric, names] of Object.entries(namesOfMetrics))
      if (known.has(metric) && names.includes(stem)) return metric
  }
  return null
}
