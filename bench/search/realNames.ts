import { join, resolve } from 'node:path'
import { openZip, readEntry } from '../../src/ingest/reading/archives.ts'
import { decodeText } from '../../src/ingest/reading/text.ts'
import { parseCodeList } from '../../src/ingest/registers/jp/codeList.ts'
import { readCorpCode } from '../../src/ingest/registers/kr/companies.ts'
import { LeftOut } from '../../src/ingest/registers/registerInterface.ts'

/** Words of real names with their frequency, and whole names of some markets. */
export type Lists = Readonly<Record<'words' | 'us' | 'nz' | 'tw' | 'jp' | 'kr', readonly string[]>>

const shared = resolve(import.meta.dir, '../../../shared')

/** Reads the real lists and the code lists of registers. null: they are not on this machine. */
export async function realNames(): Promise<Lists | null> {
  const read = async (file: string) => {
    const bytes = await Bun.file(join(shared, 'names', file)).bytes()
    return new TextDecoder().decode(file.endsWith('.gz') ? Bun.gunzipSync(bytes) : bytes).split('\n')
  }
  if (!(await Bun.file(join(shared, 'names', 'nz_charities.tsv.gz')).exists())) return null
  const cut = (lines: string[], by: string, cell: number) =>
    lines.map(line => line.split(by)[cell] ?? '').filter(name => name !== '')
  const us = cut(await read('us_sec_cik_mapper_stocks.csv'), ',', 2)
  const nz = cut(await read('nz_charities.tsv.gz'), '\t', 2)
  const tw = cut(await read('tw_stock_names.csv'), ',', 1)
  const fr = [
    ...cut(await read('fr_annuaire_names.tsv'), '\t', 1),
    ...cut(await read('fr_rne_names.tsv'), '\t', 1),
  ]
  const be = cut(await read('be_firms_1356.csv'), ',', 1)
  // Repeats stay in the list, so that common words remain common.
  const words = [
    ...Array(20)
      .fill([...fr, ...be])
      .flat(),
    ...us,
    ...nz,
  ].flatMap(name => name.split(/\s+/).filter((word: string) => word !== ''))
  return { words, us, nz, tw, jp: await japaneseNames(), kr: await koreanNames() }
}

async function japaneseNames(): Promise<string[]> {
  const file = Bun.file(join(shared, 'registers/jp/EdinetcodeDlInfo_20260512.csv.gz'))
  if (!(await file.exists())) return []
  const text = decodeText(Bun.gunzipSync(await file.bytes()), 'shift_jis')
  return parseCodeList(text, new LeftOut()).flatMap(({ name }) => name ?? [])
}

async function koreanNames(): Promise<string[]> {
  const path = join(shared, 'registers/kr/corpCode.zip')
  if (!(await Bun.file(path).exists())) return []
  const zip = await openZip(path)
  try {
    for await (const entry of zip.eachEntry()) {
      const { parsed } = readCorpCode(new TextDecoder().decode(await readEntry(zip, entry)))
      return parsed.flatMap(({ profile }) => profile.name ?? [])
    }
    return []
  } finally {
    zip.close()
  }
}
