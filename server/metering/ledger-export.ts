import { setImmediate } from 'node:timers/promises';
import type { WithNamedTenant } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { beginExport, type ExportRequest, guardExport, makePage } from '#server/exports.ts';
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
  selectNewestKey,
  selectPage,
} from './usage-ledger.ts';
import { selectMonthlyLimit } from './usage-totals.ts';

/** RFC 4180 */
const csvLineEnd = '\r\n';

/** What an export is of. */
interface ExportAbout {
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

interface ExportQuery {
  tenant_id: string;
  format: ExportFormat;
  period?: string | undefined;
}

/** What is exported, of whom and for whom. */
interface Ledger {
  tenantId: string;
  operator: boolean;
  period: BillingPeriod;
  format: ExportFormat;
  /** The last record to export; undefined where there is none. */
  newest: RecordKey | undefined;
}

/**
 * A billing period's ledger as a file (A 4.4, C 3), the oldest record first, up to the one that is the newest now. It is
 * made while it is sent, a page at a time, each read in a short transaction of its own: neither a long ledger nor a slow
 * reader holds memory or a connection. The caller is believed once, at its beginning.
 * @throws AppError 404, also for an ordinary administrator's foreign tenant; 429 where too many exports are under way
 */
export async function exportPeriod(
  services: Services,
  withNamedTenant: WithNamedTenant,
  { tenant_id: named, format, period: asked }: ExportQuery,
  request: ExportRequest,
): Promise<StreamResponse> {
  const period = billingPeriod(asked);
  const ledger = await withNamedTenant(
    { named, foreign: 'not_found', missing: '' },
    async (tx, tenantId, { operator }): Promise<Ledger> => {
      const [newest] = await Promise.all([
        selectNewestKey(tx, tenantId, period),
        selectMonthlyLimit(tx, tenantId),
      ]);
      return { tenantId, operator, period, format, newest };
    },
  );
  const { tenantId } = ledger;
  const turn = await beginExport({ tenantId, signal: request.signal });
  try {
    const pages = readPages(services, ledger, request.signal);
    // Before the first byte is sent: what fails here is answered as any other error is.
    const first = await pages.next();
    return {
      chunks: guardExport(services.log, request, turn, writeExport(ledger, first, pages)),
      contentType: exportTexts[format].contentType,
      fileName: `usage-${tenantId}-${period.name}.${format}`,
      cut: turn.cut,
      end: turn.end,
    };
  } catch (error) {
    turn.end();
    throw error;
  }
}

/** The text of the file around and between its pages. */
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
 * The ledger's pages up to its newest record, the next one read while the one before is on its way.
 * @throws Error where the ledger ends before that record: what was read is not the whole
 */
async function* readPages(
  { database }: Services,
  { tenantId, operator, period, format, newest }: Ledger,
  signal: AbortSignal,
): AsyncGenerator<RecordPage, void> {
  if (!newest) return;
  const { form, separator } = exportTexts[format];
  const query: PageQuery = {
    ...{ tenantId, operator, form, separator },
    models: operator && format === 'json',
  };
  const read = (after: RecordKey, most: typeof firstPageSize | typeof pageSize) =>
    makePage({ tenantId, signal }, () =>
      database.inTenant(tenantId, (tx) => selectPage(tx, query, after, newest, most)),
    );
  // Before any record of the period: no id is empty.
  let next = read({ recordedAt: new Date(period.from), jobId: '' }, firstPageSize);
  for (;;) {
    const page = await next;
    if (!page) throw new Error('records of the ledger are gone');
    if (page.end) {
      next = read(page.end, pageSize);
      // Where nobody asks for it any more.
      next.catch(() => {});
      // Its query leaves before this page is written, which takes its time.
      await setImmediate();
    }
    yield page;
    if (!page.end) return;
  }
}
