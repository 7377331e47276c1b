import type { Markets } from '../../../markets/markets.ts'
import { freeLicenceAddress } from '../../../rights/licences.ts'
import type { PageDeps } from '../deps.ts'
import { downloadPath, isDownloadable } from '../downloads.ts'
import type { CompanyView } from './read.ts'

/** The company's figures as a schema.org Dataset, so that dataset search engines find them. */
export function companyDataset(
  { markets, settings }: { readonly markets: Pick<Markets, 'get'>; readonly settings: PageDeps['settings'] },
  { profile, list }: CompanyView,
  name: string,
  description: string,
): object {
  const { baseUrl } = settings
  const manifest = markets.get(profile.market)
  const ends = list.data.map(({ end }) => end).sort()
  return {
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    name: `${name} (${profile.ticker}): figures as filed`,
    description,
    url: `${baseUrl}/companies/${encodeURIComponent(profile.ticker)}`,
    identifier: [profile.ticker, profile.issuer_id],
    license: `${baseUrl}${freeLicenceAddress}`,
    isAccessibleForFree: true,
    creditText: manifest?.attribution,
    ...(ends.length === 0 ? {} : { temporalCoverage: `${ends[0]}/${ends.at(-1)}` }),
    ...(profile.last_filed === null ? {} : { dateModified: profile.last_filed }),
    variableMeasured: [...new Set(list.data.map(({ m }) => m))],
    creator: { '@type': 'Organization', name: manifest?.register.operator, url: manifest?.register.url },
    about: { '@type': 'Organization', name },
    ...(isDownloadable(settings, manifest)
      ? {
          distribution: (['csv', 'json', 'parquet'] as const).map(format => ({
            '@type': 'DataDownload',
            encodingFormat: {
              csv: 'text/csv',
              json: 'application/json',
              parquet: 'application/vnd.apache.parquet',
            }[format],
            contentUrl: `${baseUrl}${downloadPath(profile.ticker, format)}`,
          })),
        }
      : {}),
  }
}
