import { setImmediate } from 'node:timers/promises';
import type { Services } from '#server/context.ts';
import { beginExport, type ExportRequest, guardExport, makePage } from '#server/http/exports.ts';
import type { WithNamedTenant } from '#server/identity/access/guards/admin.ts';
import type { StreamResponse } from '#server/trpc.ts';
import { type BillingPeriod, billingPeriod } from './periods.ts';
import type { ExportFormat } from './schema.ts';
import {
  type FieldName,
  firstPageSize,
  type PageQuery,
  pageSize,
  type RecordKey,
  type RecordPage,
  recordFields,
  selectLatestKey,
  selectPage,
} from './usage-ledger.ts';
import { selectMonthlyLimit } from './usage-totals.ts';

/** RFC 4180 */
const csvLineEnd = '\r\n';

/** The facts about an export that its file contains. */
interface ExportAbout {
  tenantId: string;
  period: string;
  /** The names of the record columns. */
  names: readonly FieldName[];
}

/** The text that a format writes before, between and after the records. */
interface ExportText {
  contentType: string;
  /** The format of each record. */
  form: 'json' | 'csv';
  /** Text between two records. */
  separator: string;
  head(about: ExportAbout): string;
  /** @param models the distinct models of all records, sorted; undefined if the caller may not see them */
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

interface ExportQuery {
  tenant_id: string;
  format: ExportFormat;
  period?: string | undefined;
}

/** The usage records to export, and the file format. */
interface Ledger {
  tenantId: string;
  operator: boolean;
  period: BillingPeriod;
  format: ExportFormat;
  /** The last record to export; undefined if there are no records. */
  latest: RecordKey | undefined;
}

/**
 * Exports the usage records of a billing period as a file, oldest first, up to the record that is the latest when the
 * export starts. The file is written while it is sent. Each page is read in a separate short transaction, so that many
 * records do not take memory and a slow client does not hold a connection. The caller is authenticated once, at the
 * start.
 * @throws AppError 404, also if an administrator who is not an operator selects another tenant; 429 if too many exports
 *   are running
 */
export async function exportPeriod(
  services: Pick<Services, 'database' | 'log'>,
  withNamedTenant: WithNamedTenant,
  { tenant_id: named, format, period: asked }: ExportQuery,
  request: ExportRequest,
): Promise<StreamResponse> {
  const period = billingPeriod(asked);
  const ledger = await withNamedTenant(
    { named, foreign: 'not_found', missing: '' },
    async (tx, tenantId, { operator }): Promise<Ledger> => {
      const [latest] = await Promise.all([
        selectLatestKey(tx, tenantId, period),
        selectMonthlyLimit(tx, tenantId),
      ]);
      return { tenantId, operator, period, format, latest };
    },
  );
  const { tenantId } = ledger;
  const slot = await beginExport({ tenantId, signal: request.signal });
  try {
    const pages = readPages(services, ledger, request.signal);
    // Read the first page before any byte is sent, so that an error here gets an ordinary error response.
    const first = await pages.next();
    return {
      chunks: guardExport(services.log, request, slot, writeExport(ledger, first, pages)),
      contentType: exportTexts[format].contentType,
      fileName: `usage-${tenantId}-${period.name}.${format}`,
      cut: slot.cut,
      end: slot.end,
    };
  } catch (error) {
    slot.end();
    throw error;
  }
}

/** Writes the file: the pages of records, and the text that surrounds and separates them. */
async function* writeExport(
  { tenantId, operator, period, format }: Ledger,
  first: IteratorResult<RecordPage, void>,
  pages: AsyncGenerator<RecordPage, void>,
): AsyncGenerator<string, void> {
  const { separator, head, tail } = exportTexts[format];
  const { names } = recordFields(operator);
  const models = new Set<string>();
  yield head({ tenantId, period: period.name, names });
  for (let page = first; !page.done; page = await pages.next()) {
    for (const model of page.value.models) models.add(model);
    if (page !== first) yield separator;
    yield page.value.text;
  }
  yield tail(operator ? [...models].sort() : undefined, first.done === true);
}

/**
 * Reads the pages up to the latest record. While a page is sent, the next one is read.
 * @throws Error if the records end before the latest record: the export would be incomplete
 */
async function* readPages(
  { database }: Pick<Services, 'database'>,
  { tenantId, operator, period, format, latest }: Ledger,
  signal: AbortSignal,
): AsyncGenerator<RecordPage, void> {
  if (!latest) return;
  const { form, separator } = exportTexts[format];
  const query: PageQuery = {
    ...{ tenantId, operator, form, separator },
    models: operator && format === 'json',
  };
  const read = (after: RecordKey, max: typeof firstPageSize | typeof pageSize) =>
    makePage({ tenantId, signal }, () =>
      database.inTenant(tenantId, (tx) => selectPage(tx, query, after, latest, max)),
    );
  // This key comes before every record of the period, because no id is empty.
  let next = read({ recordedAt: new Date(period.from), jobId: '' }, firstPageSize);
  for (;;) {
    const page = await next;
    if (!page) throw new Error('the usage records that were exported do not match their stored number');
    if (page.end) {
      next = read(page.end, pageSize);
      // The client may have stopped reading; without this, an error would be an unhandled rejection.
      next.catch(() => {});
      // Let the query of the next page be sent before this page is written, which takes a while.
      await setImmediate();
    }
    yield page;
    if (!page.end) return;
  }
}
