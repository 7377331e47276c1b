/** For each register: the requests of a first run of a few days, the files in the archive after it, and the requests of a second
 * run. */
export const expectedRuns = [
  {
    market: 'US',
    options: { companies: ['0000320193', '0001997711'] },
    requests: [
      'GET /sec/files/company_tickers.json',
      'GET /sec-data/submissions/CIK0000320193.json',
      // Named by the previous file; the test server does not have it.
      'GET /sec-data/submissions/CIK0000320193-submissions-001.json',
      'GET /sec-data/api/xbrl/companyfacts/CIK0000320193.json',
      'GET /sec-data/submissions/CIK0001997711.json',
      'GET /sec-data/api/xbrl/companyfacts/CIK0001997711.json',
    ],
    files: [
      'us/2026-11-21/company_tickers.json',
      'us/2026-11-21/companyfacts/CIK0000320193.json',
      'us/2026-11-21/companyfacts/CIK0001997711.json',
      'us/2026-11-21/submissions/CIK0000320193.json',
    ],
    // Only the directory of the current quarter can have changed.
    requestsAgain: ['GET /sec/Archives/edgar/daily-index/2026/QTR4/index.json'],
  },
  {
    market: 'JP',
    options: { since: '2025-06-26', day: '2025-06-28' },
    requests: [
      'GET /edinet-codes/Edinetcode.zip',
      'GET /edinet/documents.json?date=2025-06-26&type=2',
      'GET /edinet/documents.json?date=2025-06-27&type=2',
      'GET /edinet/documents/S100W81U?type=5',
      'GET /edinet/documents.json?date=2025-06-28&type=2',
    ],
    files: [
      'jp/2025-06-28/Edinetcode.zip',
      'jp/2025-06-28/S100W81U.zip',
      'jp/2025-06-28/documents_2025-06-26.json',
      'jp/2025-06-28/documents_2025-06-27.json',
      'jp/2025-06-28/documents_2025-06-28.json',
    ],
    // The day has not ended.
    requestsAgain: ['GET /edinet/documents.json?date=2025-06-28&type=2'],
  },
  {
    market: 'KR',
    options: { since: '2020-11-15', day: '2020-11-16' },
    requests: [
      'GET /opendart/corpCode.xml',
      'GET /opendart/list.json?bgn_de=20201115&end_de=20201115&pblntf_ty=A&page_no=1&page_count=100',
      'GET /opendart/list.json?bgn_de=20201116&end_de=20201116&pblntf_ty=A&page_no=1&page_count=100',
      'GET /opendart/company.json?corp_code=00164779',
      'GET /opendart/fnlttSinglAcntAll.json?corp_code=00164779&bsns_year=2020&reprt_code=11014&fs_div=CFS',
    ],
    files: [
      'kr/2020-11-16/company/company_00164779.json',
      'kr/2020-11-16/corpCode.zip',
      'kr/2020-11-16/fnlttSinglAcntAll_00164779_2020_11014_CFS.json',
      'kr/2020-11-16/list/list_20201116_1.json',
    ],
    requestsAgain: [
      'GET /opendart/list.json?bgn_de=20201116&end_de=20201116&pblntf_ty=A&page_no=1&page_count=100',
    ],
  },
  {
    market: 'TW',
    options: {},
    requests: [
      'GET /twse/opendata/t187ap03_L',
      ...['t187ap06', 't187ap07'].flatMap(table =>
        ['ci', 'basi', 'bd', 'fh', 'ins', 'mim'].map(industry => `GET /twse/opendata/${table}_L_${industry}`),
      ),
    ],
    files: [
      'tw/2026-11-21/t187ap03_L.json',
      ...['t187ap06', 't187ap07'].flatMap(table =>
        ['basi', 'bd', 'ci', 'fh', 'ins', 'mim'].map(industry => `tw/2026-11-21/${table}_L_${industry}.json`),
      ),
    ],
    requestsAgain: [],
  },
  {
    market: 'FR',
    options: { companies: ['377708425'] },
    requests: [
      'POST /inpi/sso/login',
      'GET /inpi/companies/377708425/attachments',
      'GET /inpi/bilans-saisis/63df98a88eded29cb3182411',
    ],
    files: [
      'fr/2026-11-21/attachments/377708425.json',
      'fr/2026-11-21/bilans-saisis/377708425_2023-01-02_63df98a88eded29cb3182411.json',
    ],
    requestsAgain: [],
  },
  {
    market: 'BE',
    options: { companies: ['0400003551'] },
    requests: [
      'GET /nbb/authentic/legalEntity/0400003551/references',
      'GET /nbb/authentic/deposit/2024-00290653/accountingData',
    ],
    files: [
      'be/2026-11-21/0400003551/0400003551_2024-07-26_2024-00290653.json',
      'be/2026-11-21/0400003551/references_0400003551.json',
    ],
    requestsAgain: [],
  },
  {
    market: 'DK',
    options: {},
    requests: ['POST /virk/offentliggoerelser/_search', 'GET /virk-documents/43540201/Y3ZyLcutZQ.xml'],
    files: ['dk/2026-11-21/10204534/Y3ZyLcutZQ.xml', 'dk/2026-11-21/hits/2026-11-21_from_beginning.json'],
    requestsAgain: ['POST /virk/offentliggoerelser/_search'],
  },
  {
    market: 'NZ',
    options: {},
    requests: [
      'GET /charities/GrpOrgAllReturns?$format=json&$orderby=AnnualReturnId&$top=1000&$filter=AnnualReturnId gt 0',
    ],
    files: ['nz/2026-11-21/GrpOrgAllReturns_000000000.json'],
    requestsAgain: [],
  },
]
