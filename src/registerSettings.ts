/* The addresses and credentials of the registers that `asfiled sync` fetches from. */

/** For each setting, the default address of the register, and its path below REGISTERS_URL, which replaces
 * all of the addresses if it is set. */
const addresses = {
  SEC_URL: ['https://www.sec.gov', 'sec'],
  SEC_DATA_URL: ['https://data.sec.gov', 'sec-data'],
  EDINET_URL: ['https://api.edinet-fsa.go.jp/api/v2', 'edinet'],
  EDINET_CODES_URL: ['https://disclosure2dl.edinet-fsa.go.jp/searchdocument/codelist', 'edinet-codes'],
  OPENDART_URL: ['https://opendart.fss.or.kr/api', 'opendart'],
  TWSE_URL: ['https://openapi.twse.com.tw/v1', 'twse'],
  INPI_URL: ['https://registre-national-entreprises.inpi.fr/api', 'inpi'],
  NBB_URL: ['https://ws.cbso.nbb.be', 'nbb'],
  VIRK_URL: ['http://distribution.virk.dk', 'virk'],
  VIRK_DOCUMENTS_URL: ['https://regnskaber.virk.dk', 'virk-documents'],
  CHARITIES_URL: ['http://www.odata.charities.govt.nz', 'charities'],
} as const

export function readRegisters(
  text: (name: string, fallback: string) => string,
): Readonly<Record<string, string>> {
  const mirror = text('REGISTERS_URL', '').replace(/\/+$/, '')
  const urls = Object.entries(addresses).map(([name, [own, path]]) => [
    name,
    mirror === '' ? own : `${mirror}/${path}`,
  ])
  return Object.freeze({
    ...Object.fromEntries(urls),
    REGISTERS_URL: mirror,
    SEC_CONTACT: text('SEC_CONTACT', ''),
    EDINET_KEY: text('EDINET_KEY', ''),
    OPENDART_KEY: text('OPENDART_KEY', ''),
    INPI_USER: text('INPI_USER', ''),
    INPI_PASSWORD: text('INPI_PASSWORD', ''),
    NBB_KEY: text('NBB_KEY', ''),
  })
}

export function* registerFaults(registers: Readonly<Record<string, string>>): Generator<string> {
  if (!isHttpUrl(registers.SEC_URL))
    yield 'REGISTERS_URL is not a URL like https://mirror.example. Omit it to use the addresses of the registers.'
  for (const [name, value] of Object.entries(registers)) {
    // The value is sent in a header, which allows no other characters.
    if (!name.endsWith('_URL') && name !== 'INPI_PASSWORD' && /[^\x20-\x7e]/.test(value))
      yield `${name} may contain only printable ASCII characters.`
  }
}

export const isHttpUrl = (text: string) => /^https?:\/\//.test(text) && URL.canParse(text)
