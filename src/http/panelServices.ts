import type { BodyFormat } from '../model/bodyFormat.ts'
import type { Panel, PanelList } from '../model/panel.ts'

/** Panels that are sent once and named after that. */
export interface PanelServices {
  readonly store: (
    keyId: number,
    body: Uint8Array,
    format: BodyFormat,
    signal: AbortSignal,
  ) => Promise<{ readonly panel: Panel; readonly created: boolean }>
  readonly list: (keyId: number) => Promise<PanelList>
  /** The panel, where it is this key's. */
  readonly read: (keyId: number, panelId: string) => Promise<Panel>
  readonly delete: (keyId: number, panelId: string) => Promise<void>
}
