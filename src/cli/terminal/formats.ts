/** The forms a result can take. */
export const FORMATS = ['table', 'tsv', 'csv', 'ndjson', 'json']
