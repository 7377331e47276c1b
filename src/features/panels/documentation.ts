import type { DocumentDecoration } from 'elysia'
import examples from '../../http/docs/examples/panels.json' with { type: 'json' }
import requests from '../../http/docs/examples/requests.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { DeletedPanel, Panel, PanelList, PanelParams, PanelUpload } from './schema.ts'

const storeParts = operation({
  id: 'storePanel',
  tag: 'Backtest',
  summary: 'Store your own rows',
  description:
    'Sends the rows of a panel once; backtests then name them by `"panel": "<id>"` and answer in milliseconds, to the bit what they answer where the rows are sent. The rows can have any form that a backtest takes, without `config`. The same rows again, in any form and order, are the same panel (200 instead of 201). A panel belongs to the key that stored it; one that no backtest used for 30 days is deleted. At most 64 of a key, with at most 2,000,000 rows each.',
  entry: 'key',
  body: {
    schema: PanelUpload,
    description: 'The rows.',
    examples: {
      rows: { summary: 'Rows', value: { panel: requests.backtest_panel.panel } },
      columns: { summary: 'Columns', value: { panel: requests.backtest_columns.panel } },
    },
    texts: {
      'text/csv': requests.backtest_csv,
      'application/x-ndjson': requests.backtest_ndjson.slice(requests.backtest_ndjson.indexOf('\n') + 1),
    },
  },
  answer: {
    schema: Panel,
    description: 'The key has these rows already: the panel.',
    examples: { panel: { summary: 'The panel', value: examples.panel } },
  },
  errors: [
    'malformed_json',
    'parameter_invalid',
    'parameter_repeated',
    'body_invalid',
    'quant_required',
    'body_too_large',
    'media_type_unsupported',
    'backtest_impossible',
    'conflict',
    'compute_busy',
    'compute_timeout',
    'compute_lost',
    'statement_timeout',
  ],
  data: false,
})

export const storePanelOperation: DocumentDecoration = {
  ...storeParts,
  responses: {
    ...storeParts.responses,
    201: {
      ...storeParts.responses?.[200],
      description: 'Stored, for good: the panel. Location says where it is.',
    },
  },
}

export const listPanelsOperation = operation({
  id: 'listPanels',
  tag: 'Backtest',
  summary: 'Your stored panels',
  description: 'The panels of this key, the newest first.',
  entry: 'key',
  answer: {
    schema: PanelList,
    description: 'The panels of this key.',
    examples: { list: { summary: 'One', value: examples.list } },
  },
  errors: ['quant_required', 'statement_timeout'],
  data: true,
})

export const readPanelOperation = operation({
  id: 'getPanel',
  tag: 'Backtest',
  summary: 'A stored panel',
  description: 'What is known of it; to look at it is no use that would put off its end.',
  entry: 'key',
  path: PanelParams,
  answer: {
    schema: Panel,
    description: 'The panel.',
    examples: { panel: { summary: 'The panel', value: examples.panel } },
  },
  errors: ['parameter_invalid', 'quant_required', 'entity_unknown', 'statement_timeout'],
  data: true,
})

export const deletePanelOperation = operation({
  id: 'deletePanel',
  tag: 'Backtest',
  summary: 'Delete a stored panel',
  description:
    'At once and for good. Backtests that have its rows already finish; one that was submitted and has yet to read them, on any of the processes that run it, fails with entity_unknown.',
  entry: 'key',
  path: PanelParams,
  answer: {
    schema: DeletedPanel,
    description: 'It is gone.',
    examples: { deleted: { summary: 'Gone', value: examples.deleted } },
  },
  errors: ['parameter_invalid', 'quant_required', 'entity_unknown', 'statement_timeout'],
  data: false,
})
