import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { readGuidance, styleOf } from '#server/language/style-guides/guidance.ts';
import { type Finding, findingView } from '#server/translation/core/findings.ts';
import { termIssues } from '#server/translation/core/leverage/terms.ts';
import { inspectProposed } from '#server/translation/core/threads/check-threads.ts';
import { getJob, isJob } from '#server/translation/texts/jobs.ts';
import type { TextCheck } from './review-schema.ts';
import { finalTermCheck } from './review-terms.ts';
import { findingsWith } from './text-findings.ts';

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
  const { tenantId, job, stored, style } = await withTenant(async (tx, { tenant }) => {
    const job = await getJob(tx, tenant.id, job_id);
    const { target_lang } = job.request;
    const { styles } = await readGuidance(tx, [target_lang]);
    const [row] = await tx
      .select({ findings: translationJobs.findings })
      .from(translationJobs)
      .where(isJob(tenant.id, job_id));
    const stored = (row?.findings ?? null) as Finding[] | null;
    return { tenantId: tenant.id, job, stored, style: styleOf(styles, target_lang) };
  });
  const asked = finalTermCheck(job, text);
  const compliance = asked && (await glossaries.check(tenantId, asked, signal));
  const { source_text: source } = job.request;
  const issues = [
    ...(await inspectProposed({ request: job.request, text, style }, { tenantId, signal })),
    ...(compliance ? termIssues(compliance) : []),
  ];
  const findings = await findingsWith(tenantId, { job, stored }, text, issues);
  return {
    issues: findings.map((finding) => ({
      ...findingView(finding),
      missing:
        finding.span !== null &&
        finding.category !== 'terminology' &&
        timesIn(source, finding.span) > timesIn(text, finding.span),
    })),
    missing_terms: compliance?.missing_terms.slice(0, maxTerms) ?? [],
  };
}

function timesIn(text: string, span: string): number {
  return span === '' ? 0 : text.split(span).length - 1;
}
