import type { FieldName } from '../queries/record-fields.ts';
import type { ExportFormat } from '../schema.ts';

/** RFC 4180 */
const csvLineEnd = '\r\n';

/** What an export is of. */
export interface ExportAbout {
  tenantId: string;
  period: string;
  /** The columns of its records. */
  names: readonly FieldName[];
}

/** How the text of an export is put together around its records. */
interface ExportText {
  contentType: string;
  /** How a record is written. */
  form: 'json' | 'csv';
  /** Stands between two records. */
  separator: string;
  head(about: ExportAbout): string;
  /** @param models the distinct models of all records, sorted; undefined for whom they are not meant */
  tail(models: readonly string[] | undefined, empty: boolean): string;
}

export const exportTexts: Readonly<Record<ExportFormat, ExportText>> = {
  json: {
    contentType: 'application/json; charset=utf-8',
    form: 'json',
    separator: ',\n',
    head: ({ tenantId, period }) =>
      `{"tenant_id":${JSON.stringify(tenantId)},"billing_period":${JSON.stringify(period)},"records":[\n`,
    tail: (models) => `\n]${models ? `,"model_roster":${JSON.stringify(models)}` : ''}}\n`,
  },
  jsonl: {
    contentType: 'application/x-ndjson; charset=utf-8',
    form: 'json',
    separator: '\n',
    head: () => '',
    tail: (_models, empty) => (empty ? '' : '\n'),
  },
  csv: {
    contentType: 'text/csv; charset=utf-8',
    form: 'csv',
    separator: csvLineEnd,
    head: ({ names }) => names.join(',') + csvLineEnd,
    tail: (_models, empty) => (empty ? '' : csvLineEnd),
  },
};
