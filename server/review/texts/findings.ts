import { type SQL, sql } from 'drizzle-orm';
import type { Services } from '#server/context.ts';
import { extractHtml } from '#server/formats/html-segments.ts';
import { readTextRules } from '#server/language/text-rules/rules.ts';
import type { LanguageCode } from '#server/languages.ts';
import type { TermCheck } from '#server/matching/terms/glossary.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import type { TranslationJob } from '#server/texts/schema.ts';
import {
  type Finding,
  findingsAfterChecks,
  findingsBeforeChecks,
  hasOpen,
  idOf,
} from '#server/translation/findings.ts';
import { inspectProposed } from '#server/translation/threads/check-threads.ts';

/** A job with the findings that its row has; null if no reviewer has changed or resolved any. */
export interface JobWithFindings {
  job: TranslationJob;
  stored: Finding[] | null;
}

/** Returns the machine translation as it was before any reviewer saved a draft; null if none exists. */
export function pipelineText(job: TranslationJob): string | null {
  return keptCandidate(job) ?? job.final_translation;
}

/** Returns the machine translation that was kept when a reviewer saved the first draft; undefined without a draft. */
export function keptCandidate({ request }: TranslationJob): string | undefined {
  const kept = request.metadata['review_pipeline_candidate'];
  return typeof kept === 'string' ? kept : undefined;
}

/** Returns the findings of the last assessment and verification, by the models and by the service's own checks. */
function machineFindings({ refinement, verification }: TranslationJob): Finding[] {
  const issues = verification ? [...(refinement?.issues ?? []), ...verification.issues] : [];
  return [...new Map(issues.map((issue) => [idOf(issue), issue])).values()];
}

/** Returns the known findings of a job, and the wording that they are about. */
function known({ job, stored }: JobWithFindings): { findings: Finding[]; wording: string | null } {
  return stored
    ? { findings: stored, wording: job.final_translation }
    : { findings: machineFindings(job), wording: pipelineText(job) };
}

/**
 * Returns the findings that a text keeps from the known ones, before the checks see it; undefined if nothing changes.
 */
export function keptFindings(of: JobWithFindings, text: string): Finding[] | undefined {
  const { findings, wording } = known(of);
  return text === wording ? undefined : findingsBeforeChecks(findings, true);
}

/**
 * Returns the findings of a text that may be published. Those of the machine translation are known. Any other text is
 * checked now, by the service's own checks without style and terms; of a model's findings, it keeps those that are not
 * settled.
 * @throws AppError rate_limit if too many long texts are queued for the check
 */
export async function findingsOf(
  { database }: Pick<Services, 'database'>,
  tenantId: string,
  of: JobWithFindings,
  text: string,
): Promise<Finding[]> {
  const { job, stored } = of;
  const { findings, wording } = known(of);
  if (!stored && job.verification && text === wording) return findings;
  const { placeholders } = await database.inTenant(tenantId, readTextRules);
  const proposed = { request: job.request, text, style: null };
  const issues = await inspectProposed(proposed, { tenantId }, placeholders);
  return findingsWith(of, text, issues);
}

/** Returns the findings of a text in which the checks have found some issues. */
export function findingsWith(of: JobWithFindings, text: string, issues: readonly QualityIssue[]): Finding[] {
  const { findings, wording } = known(of);
  return findingsAfterChecks(findings, issues, text !== wording);
}

/** An element of `terminology_matches`, in the form that `writtenMetadata` stores. */
interface WrittenMatch {
  source_term: string;
  target_terms: string[];
  case_sensitive: boolean;
  count: number;
  forbidden_terms?: string[];
}

/**
 * Returns the terminology check of a text that a reviewer publishes, using the terms that the pipeline found in the
 * source. Null if the pipeline found none.
 */
export function finalTermCheck({ request }: TranslationJob, finalText: string): TermCheck | null {
  const written = request.metadata['terminology_matches'];
  if (!Array.isArray(written)) return null;
  return {
    expected: (written as WrittenMatch[]).map((match) => ({
      sourceTerm: match.source_term,
      targetTerms: match.target_terms,
      caseSensitive: match.case_sensitive,
      count: match.count,
      ...(match.forbidden_terms && { forbiddenTerms: match.forbidden_terms }),
    })),
    translation:
      request.text_type === 'Html'
        ? extractHtml(finalText)
            .map((segment) => segment.text)
            .join('\n')
        : finalText,
    language: request.target_lang as LanguageCode,
  };
}

/*
 * SQL about the row of a text that awaits review. Without stored findings, those of the machine translation are its last
 * assessment. They do not apply to a draft that an earlier version of the service saved.
 */
const isEarlierCritical = sql`(pipeline_candidate is null and coalesce(
  refinement -> 'issues' @> '[{"severity": "critical"}]' or verification -> 'issues' @> '[{"severity": "critical"}]', false))`;

/** SQL: whether the text has an open critical finding of a model, or of the machine translation. */
export const hasCritical: SQL = sql`case when findings is not null then ${hasOpen(sql`findings`, { severity: 'critical' })}
  else ${isEarlierCritical} end`;

/** SQL: whether the text has any open finding. */
export const hasFindings: SQL = sql`case when findings is not null then ${hasOpen(sql`findings`)}
  else refinement -> 'issues' <> '[]' or verification -> 'issues' <> '[]' end`;
