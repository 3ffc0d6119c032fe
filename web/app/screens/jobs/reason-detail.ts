import type { TranslationJob } from '#sdk/types.ts';
import type { MessageId, Translate } from '../../i18n.tsx';
import { isolated } from '../../parts/language-text.tsx';

/** The options of a request that require a review. */
const reviewOptions: readonly string[] = ['sensitive', 'regulated', 'requires_human_review'];

const risks: Readonly<Record<string, MessageId>> = {
  instruction_like_source: 'jobs.risk_instruction_like_source',
  hidden_text: 'jobs.risk_hidden_text',
  mixed_script_words: 'jobs.risk_mixed_script_words',
  encoded_text: 'jobs.risk_encoded_text',
  other_source_language: 'jobs.risk_other_source_language',
  instruction_like_data: 'jobs.risk_instruction_like_data',
  unchecked_source: 'jobs.risk_unchecked_source',
};

/**
 * Says in the interface language what the code of a reason for a review refers to, such as the domain of the text. Empty
 * if other events of the job have it, such as the critical findings.
 * @returns undefined if the job does not have the data, or for an unknown code; then only the service's text is known
 */
export function reasonDetail(
  code: string | undefined,
  { request, agent_run: { quality_gate: gate } }: TranslationJob,
  t: Translate,
  number: (value: number) => string,
): string | undefined {
  const { score, threshold, metadata = {} } = gate ?? {};
  const terms = metadata['terminology_gate'] as Record<string, unknown> | null | undefined;
  const flags = namesIn(metadata['risk_flags']);
  switch (code) {
    case 'policy_required':
      return request.domain
        ? t('jobs.reason_domain', { domain: isolated(request.domain.trim().toLowerCase()) })
        : undefined;
    case 'sensitive_content':
      return withNames(
        flags.filter((flag) => reviewOptions.includes(flag)),
        (options) => t('jobs.reason_options', { options }),
      );
    case 'low_quality_score':
      return score === undefined || threshold === undefined
        ? undefined
        : t('jobs.reason_score', { score: number(score), threshold: number(threshold) });
    case 'terminology_noncompliant':
      return (
        [
          withNames(namesIn(terms?.['missing_terms']), (names) => t('jobs.reason_missing', { names })),
          withNames(forbiddenIn(terms?.['forbidden_terms']), (names) =>
            t('jobs.reason_forbidden', { names }),
          ),
        ]
          .filter((text) => text !== undefined)
          .join(' ') || undefined
      );
    case 'terminology_uncertainty':
      return withNames(namesIn(terms?.['inflected_terms']), (names) => t('jobs.reason_inflected', { names }));
    case 'high_repair_delta':
      return t('jobs.reason_repaired');
    case 'risk_flag': {
      const found = flags.filter((flag) => !reviewOptions.includes(flag));
      return found.length > 0 && found.every((flag) => risks[flag])
        ? found.map((flag) => t(risks[flag] as MessageId)).join(' ')
        : undefined;
    }
    case 'critical_issue':
    case 'verification_failed':
      return '';
    default:
      return undefined;
  }
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Returns the forbidden words, as the translation has them. */
function forbiddenIn(value: unknown): string[] {
  const terms = Array.isArray(value) ? (value as { found?: unknown }[]) : [];
  return namesIn(terms.map(({ found }) => found));
}

function withNames(names: readonly string[], text: (names: string) => string): string | undefined {
  return names.length > 0 ? text(names.map(isolated).join(', ')) : undefined;
}
