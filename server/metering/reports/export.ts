import { setImmediate } from 'node:timers/promises';
import type { EnterNamedTenant } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { createFairShare } from '#server/fair-share.ts';
import type { StreamAnswer } from '#server/trpc.ts';
import { recordFields } from '../queries/record-fields.ts';
import { type PageQuery, type RecordPage, selectPage } from '../queries/record-pages.ts';
import { type RecordKey, selectNewestKey } from '../queries/records.ts';
import { selectMonthlyLimit } from '../queries/tenant-limit.ts';
import type { ExportFormat } from '../schema.ts';
import { billingPeriod } from './billing-period.ts';
import { exportTexts } from './export-text.ts';

/**
 * Pages that are read at one time, of all exports in the process: a few of its connections, however many exports are under
 * way. Their readers may be slow; only a page in the making takes a turn.
 */
const turns = createFairShare({
  slots: 3,
  places: 3000,
  refusal: 'too many exports are under way; try again later',
});

export interface ExportQuery {
  tenant_id: string;
  format: ExportFormat;
  period?: string | undefined;
}

/** Of the request that asks: its id for the log, and what ends the work when its client hangs up. */
interface ExportRequest {
  requestId: string;
  signal: AbortSignal;
}

/**
 * A billing period's ledger as a file (A 4.4, C 3), the oldest record first, up to the one that is the newest now. It is
 * made while it is sent, a page at a time, each read in a short transaction of its own: neither a long ledger nor a slow
 * reader holds memory or a connection. The caller is believed once, at its beginning.
 * @throws AppError 404, also for an ordinary administrator's foreign tenant; 429
 */
export async function exportPeriod(
  services: Services,
  enter: EnterNamedTenant,
  { tenant_id: named, format, period: asked }: ExportQuery,
  request: ExportRequest,
): Promise<StreamAnswer> {
  const period = billingPeriod(asked);
  const { contentType, form, separator, head, tail } = exportTexts[format];
  const { tenantId, operator, newest } = await enter(
    { named, foreign: 'not_found', missing: '' },
    async (tx, tenantId, { operator }) => {
      const [newest] = await Promise.all([
        selectNewestKey(tx, tenantId, period),
        selectMonthlyLimit(tx, tenantId),
      ]);
      return { tenantId, operator, newest };
    },
  );
  const roster = operator && format === 'json' ? new Set<string>() : undefined;
  const query = { tenantId, operator, form, separator, models: roster !== undefined };
  // Before any record of the period: no id is empty.
  const start = { recordedAt: new Date(period.from), jobId: '' };
  const pages = newest ? readPages(services, query, [start, newest], request.signal) : none();
  // Before the first byte is sent: what fails here is answered as any other error is.
  let page = await pages.next();
  const { names } = recordFields(operator);

  async function* write(): AsyncGenerator<string, void> {
    try {
      yield head({ tenantId, period: period.name, names });
      for (let first = true; !page.done; first = false) {
        for (const model of page.value.models) roster?.add(model);
        if (!first) yield separator;
        yield page.value.text;
        page = await pages.next();
      }
      yield tail(roster && [...roster].sort(), newest === undefined);
    } catch (error) {
      if (!request.signal.aborted)
        services.log.error(
          { request_id: request.requestId, error: describeForLog(error) },
          'an export broke off',
        );
      // Whoever sends it logs this one: nothing of the database's belongs there.
      throw new Error('the export broke off');
    } finally {
      await pages.return();
    }
  }

  return { chunks: write(), contentType, fileName: `usage-${tenantId}-${period.name}.${format}` };
}

async function* none(): AsyncGenerator<RecordPage, void> {}

/**
 * The pages from behind the record `start` up to `last`, the next one read while the one before is on its way.
 * @throws Error where the ledger ends before that record: what was read is not the whole
 */
async function* readPages(
  { database }: Pick<Services, 'database'>,
  query: PageQuery,
  [start, last]: readonly [RecordKey, RecordKey],
  signal: AbortSignal,
): AsyncGenerator<RecordPage, void> {
  const { tenantId } = query;
  const read = (after: RecordKey) =>
    turns.run({ tenantId, signal }, () =>
      database.inTenant(tenantId, (tx) => selectPage(tx, query, after, last)),
    );
  let next = read(start);
  for (;;) {
    const page = await next;
    if (!page) throw new Error('records of the ledger are gone');
    if (page.end) {
      next = read(page.end);
      // Where nobody asks for it any more.
      next.catch(() => {});
      // Its query leaves before this page is written, which takes its time.
      await setImmediate();
    }
    yield page;
    if (!page.end) return;
  }
}
