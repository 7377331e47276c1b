import { bodyMediaTypes } from '../../formats/mediaTypes.ts'
import examples from '../../http/docs/examples/panels.json' with { type: 'json' }
import requests from '../../http/docs/examples/requests.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { DeletedPanel, Panel, PanelList, PanelParams, PanelUpload, PanelUploadQuery } from './schema.ts'

export const storePanelOperation = operation({
  id: 'storePanel',
  tag: 'Backtest',
  summary: 'Store your own rows',
  description:
    'Stores the rows of a panel. Backtests then refer to it with `"panel": "<id>"` and take milliseconds; the results are bit-identical to those for rows in the body. The rows can have any format that a backtest accepts, without `config`, with columns of your own if `columns` names them, plain or with `Content-Encoding: gzip` or `zstd`; a body may have 4 GB, packed and unpacked. The same rows in any format and order are the same panel (200 instead of 201). A panel belongs to the key that stored it and is deleted when no backtest has used it for 30 days. A key can store 64 panels of at most 25,000,000 rows each, and 4 GB, 16 GB or 64 GB of them together, by its licence.',
  access: 'key',
  query: PanelUploadQuery,
  documentsEncoding: true,
  body: {
    schema: PanelUpload,
    types: bodyMediaTypes,
    description: 'The rows.',
    examples: {
      rows: { summary: 'JSON objects', value: { panel: requests.backtest_panel.panel } },
      columns: { summary: 'JSON columns', value: { panel: requests.backtest_columns.panel } },
    },
    texts: {
      'text/csv': requests.backtest_csv,
      'application/x-ndjson': requests.backtest_ndjson.slice(requests.backtest_ndjson.indexOf('\n') + 1),
    },
  },
  answer: {
    schema: Panel,
    description: 'The key has already stored these rows: the existing panel.',
    created: 'The new panel.',
    examples: { panel: { summary: 'The panel', value: examples.panel } },
  },
  errors: ['quant_required', 'backtest_impossible', 'conflict', 'compute_timeout', 'statement_timeout'],
  data: false,
})

export const listPanelsOperation = operation({
  id: 'listPanels',
  tag: 'Backtest',
  summary: 'Your stored panels',
  description: 'The panels of this key, newest first.',
  access: 'key',
  answer: {
    schema: PanelList,
    description: 'The panels of this key.',
    examples: { list: { summary: 'One panel', value: examples.list } },
  },
  errors: ['quant_required', 'statement_timeout'],
  data: true,
})

export const readPanelOperation = operation({
  id: 'getPanel',
  tag: 'Backtest',
  summary: 'A stored panel',
  description:
    'The size of a stored panel, and when it was stored and will be deleted. Reading it does not postpone its deletion.',
  access: 'key',
  path: PanelParams,
  answer: {
    schema: Panel,
    description: 'The panel.',
    examples: { panel: { summary: 'The panel', value: examples.panel } },
  },
  errors: ['quant_required', 'entity_unknown', 'statement_timeout'],
  data: true,
})

export const deletePanelOperation = operation({
  id: 'deletePanel',
  tag: 'Backtest',
  summary: 'Delete a stored panel',
  description:
    'Deletes the panel at once. Backtests that already have its rows finish. A submitted backtest fails with entity_unknown if one of its processes has not read them yet.',
  access: 'key',
  path: PanelParams,
  answer: {
    schema: DeletedPanel,
    description: 'The panel is deleted.',
    examples: { deleted: { summary: 'Deleted', value: examples.deleted } },
  },
  errors: ['quant_required', 'entity_unknown', 'statement_timeout'],
  data: false,
})
