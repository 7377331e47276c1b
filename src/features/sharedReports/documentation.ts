import examples from '../../http/docs/examples/backtests.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { BacktestJobParams } from '../backtests/submitted/schema.ts'
import {
  ClosedReport,
  maxDays,
  maxOpenReports,
  SharedReportAddress,
  SharedReportList,
  ShareParams,
  ShareQuery,
} from './schema.ts'

export const shareOperation = operation({
  id: 'shareBacktest',
  tag: 'Backtest',
  summary: 'Make the report of a submitted backtest public',
  description: `Makes an address at which anyone can read the report, without a key, until it expires or is revoked. The report has no owner, no key, no request and no names held at the end. If names are ranked by figures of a register whose terms have not been verified to allow passing them on, the response is 403. The backtest is kept while it is shared, for up to ${maxDays} days. A key can have ${maxOpenReports} such addresses at a time. They stop working at once if the key is revoked or its plan ends.`,
  access: 'key',
  path: BacktestJobParams,
  query: ShareQuery,
  answer: {
    schema: SharedReportAddress,
    description: 'The address.',
    examples: { shared: { summary: 'Open for 30 days', value: examples.shared } },
  },
  errors: [
    'quant_required',
    'licence_required',
    'entity_unknown',
    'conflict',
    'compute_busy',
    'compute_timeout',
    'statement_timeout',
  ],
  data: false,
})

export const sharesOperation = operation({
  id: 'listShares',
  tag: 'Backtest',
  summary: 'Public addresses of a report',
  description:
    'The addresses that work, newest first: when each was made and when it expires. The addresses themselves are not stored.',
  access: 'key',
  path: BacktestJobParams,
  answer: {
    schema: SharedReportList,
    description: 'The open addresses.',
    examples: { list: { summary: 'One address', value: examples.shares } },
  },
  errors: ['quant_required', 'entity_unknown', 'statement_timeout'],
  data: false,
})

export const revokeOperation = operation({
  id: 'revokeShare',
  tag: 'Backtest',
  summary: 'Close a public address of a report',
  description:
    'The address stops working at once, and answers like one that never existed. The backtest itself does not change.',
  access: 'key',
  path: ShareParams,
  answer: {
    schema: ClosedReport,
    description: 'The address is closed.',
    examples: { closed: { summary: 'Closed', value: examples.closed } },
  },
  errors: ['quant_required', 'entity_unknown', 'statement_timeout'],
  data: false,
})
