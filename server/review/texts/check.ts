import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { readGuidance, styleOf } from '#server/language/style-guides/guidance.ts';
import { getJob, isJob, jobOfRow, unknownJob } from '#server/texts/jobs.ts';
import type { TranslationJob } from '#server/texts/schema.ts';
import { type Finding, findingsAfterJudgement, findingView } from '#server/translation/findings.ts';
import { forbiddenTerms, termIssues } from '#server/translation/leverage/terms.ts';
import { joinSegments, readSourceText } from '#server/translation/pipeline/source-text.ts';
import { inspectProposed } from '#server/translation/threads/check-threads.ts';
import { requireTurn } from '../assignments/turn.ts';
import { type Author, authorOf } from '../author.ts';
import { recordOpening } from '../claims.ts';
import { requireJudge, resolveFields, resolveFinding } from '../findings.ts';
import { finalTermCheck, findingsOf, findingsWith, type JobWithFindings } from './findings.ts';
import { actInput, type TextCheck } from './schema.ts';
import { nextVersion, reviewStep, selectReviewable } from './text.ts';

const { job_id, updated_at, reviewer } = actInput.shape;

/** Input of `translations.recheck`. */
export const textRecheckInput = z.object({ job_id, updated_at });

/** Input of `translations.resolve`. */
export const textResolveInput = textRecheckInput.extend({ ...resolveFields, reviewer });

type ReviewServices = Pick<Services, 'database' | 'engine' | 'settings'>;

/**
 * Resolves a finding of the present text of a job that awaits review. The decision is stored with the person, the time
 * and the reason, and in the trace.
 * @throws AppError 404; 400 if the job cannot be reviewed, or `fixed` although the text has not changed; 409 conflict if
 *   the finding was resolved before; 422 without the reason that a critical finding needs; JobChanged
 */
export async function resolveTextFinding(
  services: ReviewServices,
  withTenant: WithTenant,
  input: z.infer<typeof textResolveInput>,
): Promise<TranslationJob> {
  const { tenantId, by, seen } = await withTenant(async (tx, principal) => {
    const tenantId = principal.tenant.id;
    const by = await authorOf(tx, principal, input.reviewer);
    return { tenantId, by, seen: await selectSeen(tx, tenantId, by, input) };
  });
  const findings = await findingsOf(services, tenantId, seen, seen.job.final_translation ?? '');
  const resolved = resolveFinding(findings, input, by);
  return store(services, tenantId, by, input, { findings: resolved, isResolved: true });
}

/**
 * Lets the judge model and the service's own checks see the present text of a job that awaits review, and replaces its
 * findings. The decision whether to publish stays with the reviewer.
 * @throws AppError 404; 400 if the job cannot be reviewed, or no model is connected; the errors of `requireJudge` and of
 *   the engine; JobChanged, also if the text changes during the check
 */
export async function recheckText(
  services: ReviewServices,
  withTenant: WithTenant,
  input: z.infer<typeof textRecheckInput>,
  signal: AbortSignal,
): Promise<TranslationJob> {
  const { tenantId, by, seen, placeholders, style } = await withTenant(async (tx, principal) => {
    const tenantId = principal.tenant.id;
    const by = await authorOf(tx, principal, null);
    const seen = await selectSeen(tx, tenantId, by, input);
    await requireJudge(services, tx, tenantId, principal.kind);
    const { target_lang } = seen.job.request;
    const { styles, placeholders } = await readGuidance(tx, [target_lang]);
    return { tenantId, by, seen, placeholders, style: styleOf(styles, target_lang) };
  });
  const { job } = seen;
  const text = job.final_translation ?? '';
  const { task, segmentsOf } = readSourceText(job.request, style);
  const candidate = segmentsOf(text);
  const isAligned = candidate.length === task.segments.length;
  const judged = await services.engine.verify(
    isAligned ? task : { ...task, segments: [joinSegments(task.segments)] },
    isAligned ? candidate : [joinSegments(candidate)],
    { tenantId, signal },
  );
  const issues = await inspectProposed(
    { request: job.request, text, style },
    { tenantId, signal },
    placeholders,
  );
  const earlier = await findingsOf(services, tenantId, seen, text);
  const findings = findingsAfterJudgement(earlier, judged.value.issues, issues);
  return store(services, tenantId, by, input, { findings, isResolved: false });
}

/** @throws AppError 404; 400; JobChanged; and like `requireTurn` */
async function selectSeen(
  tx: Tx,
  tenantId: string,
  { userId }: Author,
  { job_id: jobId, updated_at: seen }: z.infer<typeof textRecheckInput>,
): Promise<JobWithFindings> {
  const found = await selectReviewable(tx, tenantId, jobId, seen);
  await requireTurn(tx, { tenantId, userId }, { kind: 'job', id: jobId });
  return found;
}

/** Stores the findings of the version of the job that the reviewer saw. */
async function store(
  { database }: Pick<Services, 'database'>,
  tenantId: string,
  by: Author,
  input: z.infer<typeof textRecheckInput>,
  { findings, isResolved }: { findings: Finding[]; isResolved: boolean },
): Promise<TranslationJob> {
  return database.inTenant(tenantId, async (tx) => {
    const { job } = await selectSeen(tx, tenantId, by, input);
    const step = isResolved && reviewStep({ ...by, actor: by.name }, 'resolve', new Date().toISOString());
    const { agent_run: run } = job;
    const [row] = await tx
      .update(translationJobs)
      .set({
        findings,
        ...(step && { agentRun: { ...run, steps: [...run.steps, step] } }),
        updatedAt: nextVersion,
      })
      .where(isJob(tenantId, input.job_id))
      .returning();
    if (!row) throw unknownJob();
    // Otherwise the reviewer's own change would count as one that they have not seen.
    if (by.userId !== null)
      await recordOpening(tx, { tenantId, userId: by.userId }, { kind: 'job', id: input.job_id });
    return jobOfRow(row);
  });
}

/** Maximum number of terms in a result. */
const maxTerms = 100;

/**
 * Checks a text that a reviewer proposes for a job: integrity, plausibility, style and terms, as for machine translations.
 * Uses no model and stores nothing. No transaction is open during the checks.
 * @throws AppError 404; rate_limit if too many long texts are queued for the check
 */
export async function checkText(
  { glossaries }: Pick<Services, 'glossaries'>,
  withTenant: WithTenant,
  { job_id, text }: { job_id: string; text: string },
  signal: AbortSignal,
): Promise<TextCheck> {
  const { tenantId, job, stored, placeholders, style } = await withTenant(async (tx, { tenant }) => {
    const job = await getJob(tx, tenant.id, job_id);
    const { target_lang } = job.request;
    const { styles, placeholders } = await readGuidance(tx, [target_lang]);
    const [row] = await tx
      .select({ findings: translationJobs.findings })
      .from(translationJobs)
      .where(isJob(tenant.id, job_id));
    const stored = (row?.findings ?? null) as Finding[] | null;
    return { tenantId: tenant.id, job, stored, placeholders, style: styleOf(styles, target_lang) };
  });
  const asked = finalTermCheck(job, text);
  const compliance = asked && (await glossaries.check(tenantId, asked, signal));
  const { source_text: source } = job.request;
  const issues = [
    ...(await inspectProposed({ request: job.request, text, style }, { tenantId, signal }, placeholders)),
    ...(compliance ? termIssues(compliance, job.request.target_lang) : []),
  ];
  const findings = findingsWith({ job, stored }, text, issues);
  return {
    issues: findings.map((finding) => ({
      ...findingView(finding),
      missing:
        finding.span !== null &&
        finding.category !== 'terminology' &&
        timesIn(source, finding.span) > timesIn(text, finding.span),
    })),
    missing_terms: compliance?.missing_terms.slice(0, maxTerms) ?? [],
    ...(compliance?.forbidden_terms && { forbidden_terms: forbiddenTerms(compliance) }),
  };
}

function timesIn(text: string, span: string): number {
  return span === '' ? 0 : text.split(span).length - 1;
}
