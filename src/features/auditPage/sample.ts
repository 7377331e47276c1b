import requests from '../../http/docs/examples/requests.json' with { type: 'json' }

/** Apple's revenue of fiscal 2009 in millions: too early, as known, as restated later, and of the year before. */
export const sampleFile = requests.audit_csv
