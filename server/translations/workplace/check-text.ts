import { setImmediate } from 'node:timers/promises';
import type { WithTenant } from '#server/access/guards/tenant.ts';
import { createConcurrencyLimit } from '#server/concurrency-limit.ts';
import type { Services } from '#server/context.ts';
import type { QualityIssue } from '#server/engines/engine.ts';
import { extractHtml } from '#server/formats/html-segments.ts';
import { checkMarkup } from '../integrity/index.ts';
import { getJob } from '../jobs.ts';
import { termIssues } from '../leverage/terms.ts';
import { clipped, inspectorOf } from '../pipeline/assess.ts';
import { joinSegments, readSourceText } from '../pipeline/source-text.ts';
import { finalTermCheck } from '../review-terms.ts';
import type { TranslationRequest } from '../schema.ts';
import type { TextCheck } from './review-schema.ts';

/** Terms that a result names. */
const mostTerms = 100;

/** UTF-16 units of source and text together that are checked at once: what people write takes some milliseconds. */
const shortTexts = 20_000;

/**
 * The checks of longer texts, one after the other: a hostile one keeps the process busy for up to half a second, and nobody pays for it. Tenants
 * share the slot fairly, and other requests come in between.
 */
const longTexts = createConcurrencyLimit({
  slots: 1,
  maxWaiting: 100,
  refusal: 'too many long texts are being checked; try again later',
});

/**
 * Checks a text that a reviewer proposes for a job, as the pipeline checks its own: integrity, plausibility and terms. No model is asked, and
 * nothing is stored. Holds no transaction while it checks.
 * @throws AppError 404; rate_limit if too many long texts wait for their check
 */
export async function checkText(
  { glossaries }: Pick<Services, 'glossaries'>,
  withTenant: WithTenant,
  { job_id, text }: { job_id: string; text: string },
  signal: AbortSignal,
): Promise<TextCheck> {
  const { tenantId, job } = await withTenant(async (tx, { tenant }) => ({
    tenantId: tenant.id,
    job: await getJob(tx, tenant.id, job_id),
  }));
  const asked = finalTermCheck(job, text);
  const compliance = asked && (await glossaries.check(tenantId, asked, signal));
  const { request } = job;
  const inspected =
    request.source_text.length + text.length <= shortTexts
      ? await inspectText(request, text)
      : await longTexts.run({ tenantId, signal }, async () => {
          await setImmediate();
          return inspectText(request, text);
        });
  const missesTerms = (compliance ? termIssues(compliance) : []).map((issue) => ({
    ...issue,
    missing: false,
  }));
  return {
    issues: [...inspected, ...missesTerms],
    missing_terms: compliance?.missing_terms.slice(0, mostTerms) ?? [],
  };
}

/** The findings of the checks that no model can override, and whether their spans may be put back. */
async function inspectText(request: TranslationRequest, text: string): Promise<TextCheck['issues']> {
  const { source_text: source } = request;
  return (await findIssues(request, text)).map((issue) => ({
    ...issue,
    missing: issue.span !== null && timesIn(source, issue.span) > timesIn(text, issue.span),
  }));
}

async function findIssues(request: TranslationRequest, text: string): Promise<QualityIssue[]> {
  const source = readSourceText(request);
  if (request.text_type !== 'Html') return inspectorOf(source)(source.task, [text]);
  const { segments } = source.task;
  const translations = extractHtml(text).map((segment) => segment.text);
  const markup = checkMarkup(request.source_text, text).map(clipped);
  // A text of another structure cannot be compared block by block.
  const findings =
    translations.length === segments.length
      ? await inspectorOf(source)(source.task, translations)
      : await inspectorOf({ blocks: [[0]] })({ ...source.task, segments: [joinSegments(segments)] }, [
          joinSegments(translations),
        ]);
  return [...markup, ...findings];
}

function timesIn(text: string, span: string): number {
  return span === '' ? 0 : text.split(span).length - 1;
}
