import { type Static, Type } from '@sinclair/typebox'
import { BacktestPanelColumns, BacktestPanelRow, maxPanelRows, PanelId } from '../../backtest/request.ts'

const strict = { additionalProperties: false } as const

/** Panels that a key may have. */
export const mostPanels = 64
/** Days after its last use that a panel is kept. */
export const panelKeptDays = 30

export const PanelParams = Type.Object({ id: PanelId }, strict)

export const PanelUpload = Type.Object(
  {
    panel: Type.Union([Type.Array(BacktestPanelRow, { maxItems: maxPanelRows }), BacktestPanelColumns]),
  },
  strict,
)

const time = (description: string) => Type.String({ format: 'date-time', description })
const panel = {
  id: PanelId,
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
