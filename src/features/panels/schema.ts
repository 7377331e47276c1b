import { type Static, Type } from '@sinclair/typebox'
import { BacktestPanelColumns, BacktestPanelRow, maxPanelRows, PanelId } from '../../backtest/request.ts'

const strict = { additionalProperties: false } as const

/** The maximum number of stored panels per key. */
export const maxPanels = 64
/** Days after its last use until a panel is deleted. */
export const panelRetentionDays = 30

export const PanelParams = Type.Object({ id: PanelId }, strict)

export const PanelUploadQuery = Type.Object(
  {
    columns: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_400,
        description:
          'Columns of your own with numbers that the rows have besides those of a panel, separated by commas, at most 20. With any, the column `score` may be left out.',
        examples: ['beta,size'],
      }),
    ),
  },
  strict,
)

export const PanelUpload = Type.Object(
  {
    panel: Type.Union([Type.Array(BacktestPanelRow, { maxItems: maxPanelRows }), BacktestPanelColumns]),
  },
  { ...strict, $id: 'PanelUpload' },
)

const time = (description: string) => Type.String({ format: 'date-time', description })
const panel = {
  id: PanelId,
  n_rows: Type.Integer({ minimum: 1 }),
  n_dates: Type.Integer({ minimum: 1 }),
  n_assets: Type.Integer({ minimum: 1 }),
  bytes: Type.Integer({ minimum: 1, description: 'Size of the packed rows, before compression.' }),
  created_at: time('When it was stored.'),
  expires_at: time(`When it is deleted: ${panelRetentionDays} days after its last use.`),
}

export const Panel = Type.Object(
  { object: Type.Literal('panel', { description: 'Always panel.' }), ...panel },
  { ...strict, $id: 'Panel' },
)
export type Panel = Static<typeof Panel>

export const PanelList = Type.Object(
  {
    object: Type.Literal('panel_list', { description: 'Always panel_list.' }),
    count: Type.Integer({ minimum: 0, maximum: maxPanels }),
    data: Type.Array(Panel, { description: 'Newest first.' }),
  },
  { ...strict, $id: 'PanelList' },
)
export type PanelList = Static<typeof PanelList>

export const DeletedPanel = Type.Object(
  {
    object: Type.Literal('panel', { description: 'Always panel.' }),
    id: PanelId,
    deleted: Type.Literal(true),
  },
  { ...strict, $id: 'DeletedPanel' },
)
