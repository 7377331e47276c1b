import { type Static, Type } from '@sinclair/typebox'
import { BacktestPanelColumns, BacktestPanelRow, maxPanelRows } from './backtest.ts'

const strict = { additionalProperties: false } as const

/** Panels that a key may have. */
export const mostPanels = 64
/** Days after its last use that a panel is kept. */
export const panelKeptDays = 30

const uuid = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
export const PanelId = Type.String({
  pattern: uuid,
  description: 'The `id` of a stored panel.',
  examples: ['5d0a3a44-6f0b-4a55-9d7e-2f1c80c1a9d3'],
})
export const PanelParams = Type.Object({ id: PanelId }, strict)

export const PanelUpload = Type.Object(
  {
    panel: Type.Union([Type.Array(BacktestPanelRow, { maxItems: maxPanelRows }), BacktestPanelColumns]),
  },
  strict,
)

const time = (description: string) => Type.String({ format: 'date-time', description })
const panel = {
  id: Type.String({ pattern: uuid, description: 'What a backtest sends as `panel`.' }),
  n_rows: Type.Integer({ minimum: 1 }),
  n_dates: Type.Integer({ minimum: 1 }),
  n_assets: Type.Integer({ minimum: 1 }),
  bytes: Type.Integer({ minimum: 1, description: 'What the rows take, packed and before compression.' }),
  created_at: time('When it was first stored.'),
  expires_at: time(`When it is deleted unless it is used before: ${panelKeptDays} days after its last use.`),
}

export const Panel = Type.Object(
  { object: Type.Literal('panel', { description: 'Always panel.' }), ...panel },
  strict,
)
export type Panel = Static<typeof Panel>

export const PanelList = Type.Object(
  {
    object: Type.Literal('panel_list', { description: 'Always panel_list.' }),
    count: Type.Integer({ minimum: 0, maximum: mostPanels }),
    data: Type.Array(Panel, { description: 'The newest first.' }),
  },
  strict,
)
export type PanelList = Static<typeof PanelList>

export const DeletedPanel = Type.Object(
  {
    object: Type.Literal('panel', { description: 'Always panel.' }),
    id: PanelId,
    deleted: Type.Literal(true),
  },
  strict,
)
