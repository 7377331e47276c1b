/** What a client wants to be answered: data, or a page to look at. */
export type ResultForm = 'json' | 'html'
