/* The addresses and credentials of the registers, which `asfiled sync` fetches from. */

export function readRegisters(
  text: (name: string, fallback: string) => string,
): Readonly<Record<string, string>> {
  const address = (url: string) => url.replace(/\/+$/, '')
  return Object.freeze({
    SEC_URL: address(text('SEC_URL', 'https://www.sec.gov')),
    SEC_DATA_URL: address(text('SEC_DATA_URL', 'https://data.sec.gov')),
    SEC_CONTACT: text('SEC_CONTACT', ''),
    EDINET_URL: address(text('EDINET_URL', 'https://api.edinet-fsa.go.jp/api/v2')),
    EDINET_CODES_URL: address(
      text('EDINET_CODES_URL', 'https://disclosure2dl.edinet-fsa.go.jp/searchdocument/codelist'),
    ),
    EDINET_KEY: text('EDINET_KEY', ''),
    OPENDART_URL: address(text('OPENDART_URL', 'https://opendart.fss.or.kr/api')),
    OPENDART_KEY: text('OPENDART_KEY', ''),
    TWSE_URL: address(text('TWSE_URL', 'https://openapi.twse.com.tw/v1')),
    INPI_URL: address(text('INPI_URL', 'https://registre-national-entreprises.inpi.fr/api')),
    INPI_USER: text('INPI_USER', ''),
    INPI_PASSWORD: text('INPI_PASSWORD', ''),
    NBB_URL: address(text('NBB_URL', 'https://ws.cbso.nbb.be')),
    NBB_KEY: text('NBB_KEY', ''),
    VIRK_URL: address(text('VIRK_URL', 'http://distribution.virk.dk')),
    VIRK_DOCUMENTS_URL: address(text('VIRK_DOCUMENTS_URL', 'https://regnskaber.virk.dk')),
    CHARITIES_URL: address(text('CHARITIES_URL', 'http://www.odata.charities.govt.nz')),
  })
}

export function* registerFaults(registers: Readonly<Record<string, string>>): Generator<string> {
  for (const [name, value] of Object.entries(registers)) {
    if (name.endsWith('_URL') && !isHttpUrl(value))
      yield `${name}=${value} is not a URL like https://register.example. Omit it to use the register's own URL.`
    // It is sent in a header, which allows nothing else.
    else if (name !== 'INPI_PASSWORD' && /[^\x20-\x7e]/.test(value))
      yield `${name} may contain only printable ASCII characters.`
  }
}

export const isHttpUrl = (text: string) => /^https?:\/\//.test(text) && URL.canParse(text)
