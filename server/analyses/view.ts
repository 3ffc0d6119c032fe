import { and, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { findRefusal, readBilledTenant } from '#server/billing/metering/entitlement.ts';
import { credentialOf } from '#server/billing/metering/submitter.ts';
import { type PriceList, readPrices } from '#server/billing/prices.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { writeCursor } from '#server/http/paging.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { emailsOf } from '#server/identity/members/members.ts';
import { demandedReview, readRules } from '#server/review/assignments/rules.ts';
import { readEstimateAllowance, refusalView } from '#server/translation/estimate.ts';
import { addFigures, noFigures } from '#server/translation/figures.ts';
import {
  type AnalysisRow,
  type FileRow,
  type FileSums,
  getAnalysisRow,
  listRows,
  selectFiles,
  sumFiles,
} from './analyses.ts';
import type { Analysis, AnalysisPage, ListRequest, StoredCell } from './schema.ts';
import { startOf } from './start.ts';

type ViewServices = Pick<Services, 'log' | 'payments' | 'settings'>;

const noFiles: FileSums = { files: 0, waiting: 0, done: 0, billable: 0 };

/** The latest documents from which the speed is measured. */
const measured = 20;

/** Returns an analysis as it is now. @throws AppError 404 */
export async function viewAnalysis(
  services: ViewServices,
  withTenant: WithTenant,
  analysisId: string,
): Promise<Analysis> {
  const read = await withTenant((tx, principal) => readAnalysis(tx, services, principal, analysisId));
  const { missing } = read.allowance;
  return { ...read, price: missing > 0 ? priceOf(await pricesOf(services), missing) : null };
}

/** Reads an analysis, without the price, for which the payment processor may be asked. */
async function readAnalysis(
  tx: Tx,
  { settings }: ViewServices,
  principal: Principal,
  analysisId: string,
): Promise<Omit<Analysis, 'price'>> {
  const tenantId = principal.tenant.id;
  const row = await getAnalysisRow(tx, tenantId, analysisId);
  const files = await selectFiles(tx, row);
  const allowance = await readEstimateAllowance(tx, tenantId, settings);
  const refusal = await findRefusal(
    tx,
    settings,
    { tenantId, tenant: await readBilledTenant(tx, settings) },
    { kind: 'document', credential: credentialOf(principal), chars: 1 },
  );
  const speed = await readSpeed(tx, tenantId);
  const { rules } = await readRules(tx, tenantId);
  const names = await emailsOf(tx, tenantId, row.createdBy === null ? [] : [row.createdBy]);
  const secondsOf = ({ characters }: { characters: number }) =>
    speed === null ? null : Math.ceil(characters / speed);

  const sums = {
    all: noFigures(),
    left: 0,
    languages: new Map(row.targetLangs.map((code) => [code, noFigures()])),
  };
  const documents = { requested: 0, sent: 0, refused: 0 };
  const remaining = refusal ? 0 : allowance.remaining;
  const views = files.map((file) => ({
    id: file.fileId,
    name: file.fileName,
    format: file.format,
    size_bytes: file.sizeBytes,
    state: file.state,
    refusal: file.refusal,
    source_lang: file.sourceLang,
    image_pages: file.imagePages,
    languages: row.targetLangs.flatMap((code) => {
      const cell = cellOf(file, code);
      if (!cell || file.state === 'refused') return [];
      const { version = null, other: _, ...counts } = cell;
      addFigures(sums.all, counts);
      addFigures(sums.languages.get(code)!, counts);
      const start = startOf(file, code) ?? null;
      if (start) documents[start.state]++;
      // The used characters already include documents that were sent.
      const before = sums.left;
      if (start?.state !== 'sent') sums.left += counts.billable_characters;
      return {
        ...counts,
        target_lang: code,
        version,
        review: demandedReview(rules, {
          source_lang: file.sourceLang ?? row.sourceLang,
          target_lang: code,
          domain: row.options['domain'] ?? null,
          words: counts.words,
        }),
        covered: coverageOf(before, sums.left, remaining),
        seconds: secondsOf(counts),
        start,
      };
    }),
  }));
  return {
    ...summaryOf(row, (await sumFiles(tx, tenantId, [row])).get(analysisId), names),
    domain: row.options['domain'] ?? null,
    tone: row.options['tone'] ?? null,
    gender: row.options['gender'] ?? null,
    files: views,
    totals: {
      ...sums.all,
      seconds: secondsOf(sums.all),
      by_language: [...sums.languages].map(([target_lang, counts]) => ({
        ...counts,
        seconds: secondsOf(counts),
        target_lang,
      })),
    },
    documents,
    allowance: {
      ...allowance,
      missing: Math.max(0, sums.left - Math.max(0, remaining)),
      refusal: refusalView(refusal),
    },
  };
}

/** The document that reaches the limit is completed, if any allowance remains before it. */
function coverageOf(
  before: number,
  after: number,
  remaining: number,
): Analysis['files'][number]['languages'][number]['covered'] {
  if (after <= remaining) return 'covered';
  return before < remaining ? 'reaches_limit' : 'beyond';
}

/** Cells that were stored by an earlier release have fewer counts. */
function cellOf(file: FileRow, targetLang: string): StoredCell | undefined {
  const stored = file.results[targetLang] as StoredCell | undefined;
  return stored && { ...noFigures(), ...stored };
}

function summaryOf(
  row: AnalysisRow,
  { files, waiting, done }: FileSums = noFiles,
  names: ReadonlyMap<string, string>,
) {
  const status = row.canceledAt ? 'canceled' : waiting > 0 ? 'analyzing' : 'completed';
  return {
    id: row.analysisId,
    status: status as Analysis['status'],
    source_lang: row.sourceLang,
    target_langs: row.targetLangs,
    created_by: row.createdBy && (names.get(row.createdBy) ?? row.createdBy),
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    progress: { done, all: files * row.targetLangs.length },
  };
}

/** Returns a page of the analyses of a workspace, latest first. */
export async function listAnalyses(tx: Tx, tenantId: string, request: ListRequest): Promise<AnalysisPage> {
  const found = await listRows(tx, tenantId, request);
  const rows = found.slice(0, request.limit);
  const names = await emailsOf(
    tx,
    tenantId,
    rows.flatMap(({ createdBy }) => createdBy ?? []),
  );
  const sums = await sumFiles(tx, tenantId, rows);
  const last = found.length > request.limit ? rows.at(-1) : undefined;
  return {
    analyses: rows.map((row) => {
      const { files, billable } = sums.get(row.analysisId) ?? noFiles;
      return {
        ...summaryOf(row, sums.get(row.analysisId), names),
        files,
        billable_characters: billable,
      };
    }),
    next_cursor: last ? writeCursor({ updated_at: last.createdAt.toISOString(), id: last.analysisId }) : null,
  };
}

/** Returns the characters per second of the workspace's latest documents; null without any. */
async function readSpeed(tx: Tx, tenantId: string): Promise<number | null> {
  const rows = await tx
    .select({ chars: documentJobs.sourceChars, timings: documentJobs.stageTimings })
    .from(documentJobs)
    .where(and(eq(documentJobs.tenantId, tenantId), sql`${documentJobs.status} = 'translated'`))
    .orderBy(desc(documentJobs.updatedAt))
    .limit(measured);
  const chars = rows.reduce((sum, row) => sum + row.chars, 0);
  const ms = rows.flatMap(({ timings }) => Object.values(timings)).reduce((sum, part) => sum + part, 0);
  return chars > 0 && ms > 0 ? (1000 * chars) / ms : null;
}

/** Returns the prices of the deployment; null if it has none, or if they cannot be read now. */
async function pricesOf(services: ViewServices): Promise<PriceList | null> {
  if (!services.settings.BILLING_ENABLED || services.settings.STRIPE_PRICE_TOPUP === undefined) return null;
  return readPrices(services).catch((error: unknown) => {
    services.log.warn({ error: describeForLog(error) }, 'an analysis cannot show a price');
    return null;
  });
}

function priceOf(prices: PriceList | null, missing: number): Analysis['price'] {
  if (!prices?.topup?.price) return null;
  const { chars, price } = prices.topup;
  const packs = Math.ceil(missing / chars);
  // The amount has two decimals at most.
  const amount = Math.round(packs * price.amount * 100) / 100;
  return { packs, characters: packs * chars, amount, currency: price.currency };
}
