/** A published signal, as data. Its lines are computed as they are written (`formula.ts`). */
export interface StrategyDefinition {
  readonly name: string
  readonly title: string
  /** What it measures, in a sentence for everybody. */
  readonly explanation: string
  /** Whether its periods are fiscal years or single quarters. */
  readonly period: 'FY' | 'Q'
  readonly unit: 'pure' | 'currency'
  /** The metric whose latest known period is the period of the value. */
  readonly anchor: string
  /** In the order of computation. The last one is the value. */
  readonly lines: readonly StrategyLine[]
  /** -1: the paper buys low values, so the score is minus the value. */
  readonly sign: 1 | -1
  readonly paper: Paper
  /** The signal's row in SignalDoc.csv; null if it has none. */
  readonly published: PublishedRecord | null
  /** How it differs from the paper and from SignalDoc.csv, and why. */
  readonly notes: readonly string[]
}

export interface StrategyLine {
  readonly name: string
  readonly formula: string
  readonly explanation: string
}

interface Paper {
  readonly authors: string
  readonly year: number
  readonly title: string
  readonly journal: string
}

/** Facts of a paper as SignalDoc.csv of OpenSourceAP/CrossSection (GPL-2) states them. */
export interface PublishedRecord {
  readonly acronym: string
  readonly authors: string
  readonly year: number
  readonly journal: string
  readonly sample_start_year: number
  readonly sample_end_year: number
  /** Null if SignalDoc.csv states none. */
  readonly t_value: number | null
  /** Mean return of the long-short portfolio in percent a month; null if SignalDoc.csv states none. */
  readonly return_pct: number | null
  /** What SignalDoc.csv says of the paper's evidence. */
  readonly predictability: 'clear' | 'likely' | 'not'
}

const line = (name: string, formula: string, explanation: string): StrategyLine => ({
  name,
  formula,
  explanation,
})

export const strategyDefinitions: readonly StrategyDefinition[] = [
  {
    name: 'piotroski_f',
    title: 'Piotroski F-score',
    explanation: 'Counts nine signs of financial strength, from 0 (weak) to 9 (strong).',
    period: 'FY',
    unit: 'pure',
    anchor: 'assets',
    lines: [
      line('roa', 'net_income / assets[-1]', 'Return on assets at the beginning of the year.'),
      line(
        'cfo',
        'operating_cash_flow / assets[-1]',
        'Operating cash flow to assets at the beginning of the year.',
      ),
      line(
        'lever',
        'long_term_debt_noncurrent / ((assets + assets[-1]) / 2)',
        'Long-term debt to average assets.',
      ),
      line('liquid', 'current_assets / current_liabilities', 'Current ratio.'),
      line('margin', 'gross_profit / revenue', 'Gross margin.'),
      line('turn', 'revenue / assets[-1]', 'Turnover of the assets at the beginning of the year.'),
      line('f_roa', 'roa > 0', 'The company earned a profit.'),
      line('f_cfo', 'cfo > 0', 'Operations brought in cash.'),
      line('f_delta_roa', 'roa > roa[-1]', 'Return on assets rose.'),
      line('f_accrual', 'cfo > roa', 'Cash flow exceeds profit.'),
      line('f_delta_lever', 'lever < lever[-1]', 'Long-term debt fell relative to assets.'),
      line('f_delta_liquid', 'liquid > liquid[-1]', 'The current ratio rose.'),
      line('f_eq_offer', 'shares_basic <= shares_basic[-1]', 'No net issue of shares.'),
      line('f_delta_margin', 'margin > margin[-1]', 'The gross margin rose.'),
      line('f_delta_turn', 'turn > turn[-1]', 'Asset turnover rose.'),
      line(
        'piotroski_f',
        'f_roa + f_cfo + f_delta_roa + f_accrual + f_delta_lever + f_delta_liquid + f_eq_offer + f_delta_margin + f_delta_turn',
        'The sum of the nine.',
      ),
    ],
    sign: 1,
    paper: {
      authors: 'Joseph D. Piotroski',
      year: 2000,
      title:
        'Value Investing: The Use of Historical Financial Statement Information to Separate Winners from Losers',
      journal: 'Journal of Accounting Research 38',
    },
    published: {
      acronym: 'PS',
      authors: 'Piotroski',
      year: 2000,
      journal: 'JAR',
      sample_start_year: 1976,
      sample_end_year: 1996,
      t_value: 5.594,
      return_pct: 1.958333333,
      predictability: 'clear',
    },
    notes: [
      'net_income stands for income before extraordinary items.',
      'The weighted average of basic shares replaces the count at the end of the year: a report restates the average of the previous year for splits, and the count on its cover it does not.',
      'The paper applies the score to the fifth of companies with the highest book-to-market ratio, which needs prices; here it is computed for all.',
      'Missing if any of the nine is missing.',
    ],
  },
  {
    name: 'accruals',
    title: 'Accruals',
    explanation: 'The part of earnings that is not cash. Low accruals are bought.',
    period: 'FY',
    unit: 'pure',
    anchor: 'assets',
    lines: [
      line('delta_current_assets', 'current_assets - current_assets[-1]', 'Change in current assets.'),
      line('delta_cash', 'cash - cash[-1]', 'Change in cash.'),
      line(
        'delta_current_liabilities',
        'current_liabilities - current_liabilities[-1]',
        'Change in current liabilities.',
      ),
      line(
        'delta_current_debt',
        'optional(current_debt - current_debt[-1])',
        'Change in debt within current liabilities; 0 if either year states none.',
      ),
      line('depreciation', 'depreciation_amortization', 'Depreciation and amortization.'),
      line('average_assets', '(assets + assets[-1]) / 2', 'Average of total assets.'),
      line(
        'accruals',
        '(delta_current_assets - delta_cash - (delta_current_liabilities - delta_current_debt) - depreciation) / average_assets',
        'Accruals to average assets.',
      ),
    ],
    sign: -1,
    paper: {
      authors: 'Richard G. Sloan',
      year: 1996,
      title: 'Do Stock Prices Fully Reflect Information in Accruals and Cash Flows about Future Earnings?',
      journal: 'The Accounting Review 71',
    },
    published: {
      acronym: 'Accruals',
      authors: 'Sloan',
      year: 1996,
      journal: 'AR',
      sample_start_year: 1962,
      sample_end_year: 1991,
      t_value: 4.71,
      return_pct: 0.866666667,
      predictability: 'clear',
    },
    notes: [
      'Income taxes payable are not a metric of this service, so their change remains among the current liabilities.',
      'cash is cash and cash equivalents, without short-term investments.',
      'Depreciation is subtracted as in the paper. The definition in SignalDoc.csv does not mention it.',
    ],
  },
  {
    name: 'gross_profitability',
    title: 'Gross profitability',
    explanation: 'Gross profit earned on each unit of assets.',
    period: 'FY',
    unit: 'pure',
    anchor: 'assets',
    lines: [line('gross_profitability', 'gross_profit / assets', 'Gross profit to total assets.')],
    sign: 1,
    paper: {
      authors: 'Robert Novy-Marx',
      year: 2013,
      title: 'The Other Side of Value: The Gross Profitability Premium',
      journal: 'Journal of Financial Economics 108',
    },
    published: {
      acronym: 'GP',
      authors: 'Novy-Marx',
      year: 2013,
      journal: 'JFE',
      sample_start_year: 1963,
      sample_end_year: 2010,
      t_value: 2.49,
      return_pct: 0.31,
      predictability: 'clear',
    },
    notes: [
      'The paper leaves out financial companies: send `group` with a join or a backtest to do the same.',
    ],
  },
  {
    name: 'asset_growth',
    title: 'Asset growth',
    explanation: 'The growth of total assets over a year. Low growth is bought.',
    period: 'FY',
    unit: 'pure',
    anchor: 'assets',
    lines: [
      line('asset_growth', '(assets - assets[-1]) / positive(assets[-1])', 'Growth rate of total assets.'),
    ],
    sign: -1,
    paper: {
      authors: 'Michael J. Cooper, Huseyin Gulen and Michael J. Schill',
      year: 2008,
      title: 'Asset Growth and the Cross-Section of Stock Returns',
      journal: 'The Journal of Finance 63',
    },
    published: {
      acronym: 'AssetGrowth',
      authors: 'Cooper, Gulen and Schill',
      year: 2008,
      journal: 'JF',
      sample_start_year: 1968,
      sample_end_year: 2003,
      t_value: 8.45,
      return_pct: 1.73,
      predictability: 'clear',
    },
    notes: [],
  },
  {
    name: 'net_share_issuance',
    title: 'Net share issuance',
    explanation: 'The growth in the number of shares. Companies that buy back shares are bought.',
    period: 'FY',
    unit: 'pure',
    anchor: 'shares_basic',
    lines: [
      line(
        'net_share_issuance',
        'ln(shares_basic / positive(shares_basic[-1]))',
        'Log growth of the shares.',
      ),
    ],
    sign: -1,
    paper: {
      authors: 'Jeffrey Pontiff and Artemiza Woodgate',
      year: 2008,
      title: 'Share Issuance and Cross-sectional Returns',
      journal: 'The Journal of Finance 63',
    },
    published: {
      acronym: 'ShareIss1Y',
      authors: 'Pontiff and Woodgate',
      year: 2008,
      journal: 'JF',
      sample_start_year: 1970,
      sample_end_year: 2003,
      t_value: 7.08,
      return_pct: null,
      predictability: 'clear',
    },
    notes: [
      'The weighted average of basic shares over the fiscal year replaces the split-adjusted count of a month: a report restates the average of the previous year for splits.',
      'The year is the latest fiscal year that is known, without a further lag of six months.',
    ],
  },
  {
    name: 'altman_z',
    title: 'Altman Z',
    explanation:
      'The distance from bankruptcy of a listed manufacturer. Above 2.99 is safe, below 1.81 in distress.',
    period: 'FY',
    unit: 'pure',
    anchor: 'assets',
    lines: [
      line('x1', '(current_assets - current_liabilities) / assets', 'Working capital to assets.'),
      line('x2', 'retained_earnings / assets', 'Retained earnings to assets.'),
      line('x3', 'operating_income / assets', 'Profit before interest and taxes to assets.'),
      line(
        'x4',
        'market_cap / positive(liabilities)',
        'Market capitalisation of the day to total liabilities.',
      ),
      line('x5', 'revenue / assets', 'Revenue to assets.'),
      line('accounts', '1.2 * x1 + 1.4 * x2 + 3.3 * x3 + 0.999 * x5', 'The part of Z that needs no prices.'),
      line('altman_z', 'accounts + 0.6 * x4', 'Z of Altman (1968).'),
    ],
    sign: -1,
    paper: {
      authors: 'Edward I. Altman',
      year: 1968,
      title: 'Financial Ratios, Discriminant Analysis and the Prediction of Corporate Bankruptcy',
      journal: 'The Journal of Finance 23',
    },
    published: {
      acronym: 'ZScore',
      authors: 'Dichev',
      year: 1998,
      journal: 'JF',
      sample_start_year: 1981,
      sample_end_year: 1995,
      t_value: 1.59,
      return_pct: null,
      predictability: 'not',
    },
    notes: [
      'Needs a set of prices. The market capitalisation is that of the day, as the metric market_cap, and not that of the end of the fiscal year.',
      'The paper adds the market value of preferred stock to that of common stock; market_cap counts common shares alone.',
      'operating_income stands for profit before interest and taxes.',
      'The paper states the coefficients for ratios in percent, apart from revenue to assets: 0.012, 0.014, 0.033, 0.006 and 0.999. These are the same ones for plain ratios.',
      'The paper estimates the score from manufacturers.',
    ],
  },
  {
    name: 'altman_z_private',
    title: 'Altman Z′ (book values)',
    explanation:
      'The distance from bankruptcy of a company without a market price. Above 2.9 is safe, below 1.23 in distress.',
    period: 'FY',
    unit: 'pure',
    anchor: 'assets',
    lines: [
      line('x1', '(current_assets - current_liabilities) / assets', 'Working capital to assets.'),
      line('x2', 'retained_earnings / assets', 'Retained earnings to assets.'),
      line('x3', 'operating_income / assets', 'Profit before interest and taxes to assets.'),
      line('x4', 'equity / liabilities', 'Book equity to total liabilities.'),
      line('x5', 'revenue / assets', 'Revenue to assets.'),
      line(
        'altman_z_private',
        '0.717 * x1 + 0.847 * x2 + 3.107 * x3 + 0.42 * x4 + 0.998 * x5',
        'Z′ of Altman (1983).',
      ),
    ],
    sign: -1,
    paper: {
      authors: 'Edward I. Altman',
      year: 1983,
      title:
        'Corporate Financial Distress: A Complete Guide to Predicting, Avoiding, and Dealing with Bankruptcy',
      journal: 'Wiley',
    },
    published: {
      acronym: 'ZScore',
      authors: 'Dichev',
      year: 1998,
      journal: 'JF',
      sample_start_year: 1981,
      sample_end_year: 1995,
      t_value: 1.59,
      return_pct: null,
      predictability: 'not',
    },
    notes: [
      'The Z-score of Altman (1968) needs the market value of equity. Z′ is his variant with book equity; the sign and the t value are those of Z, which did not predict returns.',
      'operating_income stands for profit before interest and taxes.',
    ],
  },
  {
    name: 'altman_z_double_prime',
    title: 'Altman Z″ (non-manufacturers)',
    explanation:
      'The distance from bankruptcy without the turnover of assets, so that industries compare. Above 2.6 is safe, below 1.1 in distress.',
    period: 'FY',
    unit: 'pure',
    anchor: 'assets',
    lines: [
      line('x1', '(current_assets - current_liabilities) / assets', 'Working capital to assets.'),
      line('x2', 'retained_earnings / assets', 'Retained earnings to assets.'),
      line('x3', 'operating_income / assets', 'Profit before interest and taxes to assets.'),
      line('x4', 'equity / liabilities', 'Book equity to total liabilities.'),
      line(
        'altman_z_double_prime',
        '6.56 * x1 + 3.26 * x2 + 6.72 * x3 + 1.05 * x4',
        'Z″, without the constant 3.25 of the score for emerging markets.',
      ),
    ],
    sign: -1,
    paper: {
      authors: 'Edward I. Altman, John Hartzell and Matthew Peck',
      year: 1995,
      title: 'Emerging Markets Corporate Bonds: A Scoring System',
      journal: 'Salomon Brothers',
    },
    published: {
      acronym: 'ZScore',
      authors: 'Dichev',
      year: 1998,
      journal: 'JF',
      sample_start_year: 1981,
      sample_end_year: 1995,
      t_value: 1.59,
      return_pct: null,
      predictability: 'not',
    },
    notes: [
      'The Z-score of Altman (1968) needs the market value of equity. Z″ is a variant with book equity; the sign and the t value are those of Z, which did not predict returns.',
      'operating_income stands for profit before interest and taxes.',
    ],
  },
  {
    name: 'beneish_m',
    title: 'Beneish M-score',
    explanation:
      'The likelihood of earnings manipulation from eight ratios. Above -1.78 is suspect. Low scores are bought.',
    period: 'FY',
    unit: 'pure',
    anchor: 'assets',
    lines: [
      line('days_receivable', 'receivables / revenue', 'Receivables to revenue.'),
      line('dsri', 'days_receivable / days_receivable[-1]', 'Days’ sales in receivables index.'),
      line('margin', 'gross_profit / revenue', 'Gross margin.'),
      line('gmi', 'margin[-1] / margin', 'Gross margin index.'),
      line(
        'soft_assets',
        '1 - (current_assets + property_plant_equipment) / assets',
        'Assets other than current assets and property.',
      ),
      line('aqi', 'soft_assets / soft_assets[-1]', 'Asset quality index.'),
      line('sgi', 'revenue / revenue[-1]', 'Sales growth index.'),
      line(
        'depreciation_rate',
        'depreciation_amortization / (depreciation_amortization + property_plant_equipment)',
        'Rate of depreciation.',
      ),
      line('depi', 'depreciation_rate[-1] / depreciation_rate', 'Depreciation index.'),
      line(
        'sga_rate',
        'selling_general_administrative / revenue',
        'Selling, general and administrative expense to revenue.',
      ),
      line('sgai', 'sga_rate / sga_rate[-1]', 'Index of selling, general and administrative expense.'),
      line(
        'leverage',
        '(long_term_debt_noncurrent + current_liabilities) / assets',
        'Debt and current liabilities to assets.',
      ),
      line('lvgi', 'leverage / leverage[-1]', 'Leverage index.'),
      line('tata', '(net_income - operating_cash_flow) / assets', 'Total accruals to total assets.'),
      line(
        'beneish_m',
        '0.92 * dsri + 0.528 * gmi + 0.404 * aqi + 0.892 * sgi + 0.115 * depi - 0.172 * sgai + 4.679 * tata - 0.327 * lvgi - 4.84',
        'The M-score.',
      ),
    ],
    sign: -1,
    paper: {
      authors: 'Messod D. Beneish',
      year: 1999,
      title: 'The Detection of Earnings Manipulation',
      journal: 'Financial Analysts Journal 55',
    },
    published: null,
    notes: [
      'SignalDoc.csv has no row for this score, so no t value is stated. The sign is that of Beneish, Lee and Nichols (2013), "Earnings Manipulation and Expected Returns", Financial Analysts Journal 69.',
      'Total accruals are net income less operating cash flow, as in Beneish, Lee and Nichols (2013).',
      'Depreciation includes amortization, and soft assets include long-term securities.',
    ],
  },
  {
    name: 'return_on_equity',
    title: 'Return on equity',
    explanation: 'Profit earned on each unit of book equity.',
    period: 'FY',
    unit: 'pure',
    anchor: 'equity',
    lines: [
      line('return_on_equity', 'net_income / equity', 'Net income to book equity at the end of the year.'),
    ],
    sign: 1,
    paper: {
      authors: 'Robert A. Haugen and Nardin L. Baker',
      year: 1996,
      title: 'Commonality in the Determinants of Expected Stock Returns',
      journal: 'Journal of Financial Economics 41',
    },
    published: {
      acronym: 'RoE',
      authors: 'Haugen and Baker',
      year: 1996,
      journal: 'JFE',
      sample_start_year: 1979,
      sample_end_year: 1993,
      t_value: 4.5,
      return_pct: null,
      predictability: 'likely',
    },
    notes: [
      'Negative equity is not left out, as in SignalDoc.csv: a loss on negative equity has a positive return.',
    ],
  },
  {
    name: 'book_equity',
    title: 'Book equity',
    explanation: 'The equity on the balance sheet, which is the numerator of book-to-market.',
    period: 'FY',
    unit: 'currency',
    anchor: 'equity',
    lines: [
      line('book_equity', 'positive(equity)', 'Equity at the end of the year; missing unless positive.'),
    ],
    sign: 1,
    paper: {
      authors: 'Eugene F. Fama and Kenneth R. French',
      year: 1992,
      title: 'The Cross-Section of Expected Stock Returns',
      journal: 'The Journal of Finance 47',
    },
    published: {
      acronym: 'BMdec',
      authors: 'Fama and French',
      year: 1992,
      journal: 'JF',
      sample_start_year: 1963,
      sample_end_year: 1990,
      t_value: 5.71,
      return_pct: 0.5,
      predictability: 'clear',
    },
    notes: [
      'The t value is that of book-to-market, which divides by the market value of equity. Alone, this amount ranks companies by their size.',
      'Deferred taxes are not added and preferred shares are not subtracted, because not every register states them.',
    ],
  },
  {
    name: 'book_equity_growth',
    title: 'Growth of book equity',
    explanation: 'The growth of book equity over a year. Low growth is bought.',
    period: 'FY',
    unit: 'pure',
    anchor: 'equity',
    lines: [
      line(
        'book_equity_growth',
        'positive(equity) / positive(equity[-1])',
        'Book equity to that of the previous year.',
      ),
    ],
    sign: -1,
    paper: {
      authors: 'Larry J. Lockwood and Wikrom Prombutr',
      year: 2010,
      title: 'Sustainable Growth and Stock Returns',
      journal: 'Journal of Financial Research 33',
    },
    published: {
      acronym: 'ChEQ',
      authors: 'Lockwood and Prombutr',
      year: 2010,
      journal: 'JFR',
      sample_start_year: 1964,
      sample_end_year: 2007,
      t_value: 5.38,
      return_pct: 0.8,
      predictability: 'clear',
    },
    notes: [],
  },
  {
    name: 'earnings_surprise',
    title: 'Earnings surprise',
    explanation:
      'How far a quarter’s earnings exceed those of the same quarter a year before, with drift, in standard deviations.',
    period: 'Q',
    unit: 'pure',
    anchor: 'net_income',
    lines: [
      line('change', 'net_income - net_income[-4]', 'Change from the same quarter a year before.'),
      line('drift', 'mean(change, 1, 8)', 'Mean change of the eight quarters before.'),
      line('deviation', 'positive(sd(change, 1, 8))', 'Sample standard deviation of these eight changes.'),
      line('earnings_surprise', '(change - drift) / deviation', 'The surprise in standard deviations.'),
    ],
    sign: 1,
    paper: {
      authors: 'George Foster, Chris Olsen and Terry Shevlin',
      year: 1984,
      title: 'Earnings Releases, Anomalies, and the Behavior of Security Returns',
      journal: 'The Accounting Review 59',
    },
    published: {
      acronym: 'EarningsSurprise',
      authors: 'Foster, Olsen and Shevlin',
      year: 1984,
      journal: 'AR',
      sample_start_year: 1974,
      sample_end_year: 1981,
      t_value: null,
      return_pct: 2.975,
      predictability: 'clear',
    },
    notes: [
      'Net income replaces earnings per share: the fourth quarter follows from the year less nine months only for amounts of money, and the scale cancels.',
      'The deviation is that of the eight changes around their mean. SignalDoc.csv takes eight surprises, each with a drift of its own, which needs eight more quarters.',
      'Needs thirteen quarters.',
    ],
  },
]
