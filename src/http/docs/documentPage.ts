import { type Area, type Page, shell } from '../pages/shell.ts'

const area = {
  label: 'Documents',
  links: [
    { name: 'API', path: '/docs' },
    { name: 'Guides', path: '/docs/guides' },
    { name: 'Metrics', path: '/docs/metrics' },
    { name: 'Errors', path: '/docs/errors' },
  ],
} as const satisfies Area

interface DocumentPage extends Pick<Page, 'title' | 'styles' | 'scripts' | 'contents' | 'layout' | 'main'> {
  /** Marked among the documents. */
  readonly section: (typeof area.links)[number]['name']
}

/** A page under /docs. It is made once and is the same for everybody. */
export const documentPage = ({ section, ...page }: DocumentPage): string =>
  shell({ layout: 'prose', ...page, section: '/docs/guides', area, areaLink: section }, { isSignedIn: null })
