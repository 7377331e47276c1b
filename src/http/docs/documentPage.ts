import { type Area, type Page, shell } from '../pages/shell.ts'

export const documentsArea = {
  label: 'Documents',
  links: [
    { name: 'Start', path: '/start' },
    { name: 'API', path: '/docs' },
    { name: 'Guides', path: '/docs/guides' },
    { name: 'Metrics', path: '/docs/metrics' },
    { name: 'Errors', path: '/docs/errors' },
  ],
} as const satisfies Area

interface DocumentPage
  extends Pick<Page, 'title' | 'styles' | 'scripts' | 'contents' | 'layout' | 'main' | 'markdown'> {
  /** The link to highlight in the list of documents. */
  readonly section: (typeof documentsArea.links)[number]['name']
}

/** A page under /docs, rendered once and the same for everybody. */
export const documentPage = ({ section, ...page }: DocumentPage): string =>
  shell(
    { layout: 'prose', ...page, section: '/docs/guides', area: documentsArea, areaLink: section },
    { isSignedIn: null },
  )
