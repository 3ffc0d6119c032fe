import { isRegulated } from '#server/translation/intake/request-warnings.ts';
import type { HumanReviewTrigger, TriggerCode } from '../agent-run-schema.ts';
import type { TextRequest } from '../request.ts';

/** The minimum score for publishing automatically, if the request does not set one. */
export const defaultThreshold = 85;

/** How a run translates, judges and repairs its texts, and what requires a review. */
export interface Policy {
  /** 0 to 100. A translation with a lower score is repaired, and not published without review. */
  threshold: number;
  /** Maximum number of repairs of a text. */
  repairRounds: number;
  /** The model of the baseline; undefined for the deployment's default. */
  primaryModel: string | undefined;
  /** Names of the candidate models, 0 to 2. */
  candidateModels: readonly string[];
  /** Number of comparisons of the candidates, 1 to 3. */
  debateRounds: number;
  /**
   * Whether a reviewer sees the texts one by one, as segments of a document. Then each one is judged separately, and every
   * issue about terminology requires a review. Otherwise the run has one text: its segments are judged together, the final
   * text is verified, a large repair requires a review, and risk flags are reported as warnings.
   */
  judgesEach: boolean;
  /** The options of the request that require a review. */
  flags: readonly string[];
  /** The reasons of the request that require a review, whatever the translation. */
  rules: readonly Reason[];
}

/** A trigger of the quality gate, and its reason as a sentence. */
export interface Reason {
  trigger: HumanReviewTrigger;
  reason: string;
}

export function blocking(code: TriggerCode, reason: string): Reason {
  return { trigger: { code, severity: 'blocking' }, reason };
}

const maximumExtraCandidates = 2;
/** The format of model names. Other values are ignored, and do not appear in logs and exports. */
const modelName = /^[\w.:/@+-]{1,200}$/;

/**
 * Returns the policy for one text. Some fields are options in the metadata of the request: a value outside an option's
 * range is set to the nearest limit, and a value of the wrong type counts as absent.
 */
export function textPolicy({ domain, metadata }: Pick<TextRequest, 'domain' | 'metadata'>): Policy {
  const flags = reviewFlags.filter((flag) => Boolean(metadata[flag]));
  return {
    threshold: clamped(metadata['min_quality_score'], 0, 100, defaultThreshold),
    repairRounds: Math.trunc(clamped(metadata['max_quality_loop_retries'], 1, 5, 2)),
    primaryModel: modelNames(metadata['primary_model'])[0],
    candidateModels: modelNames(metadata['candidate_models']),
    debateRounds: Math.trunc(clamped(metadata['debate_rounds'], 1, 3, 1)),
    judgesEach: false,
    flags,
    rules: rulesOf(domain, flags),
  };
}

/** Returns the policy for segments of documents. @param live whether the engine translates; the stub is not repaired */
export function segmentPolicy(live: boolean): Policy {
  return { ...textPolicy({ domain: null, metadata: {} }), judgesEach: true, repairRounds: live ? 1 : 0 };
}

const reviewFlags = ['sensitive', 'regulated', 'requires_human_review'] as const;

/** Returns the rules by which the request itself requires a review: a regulated domain, or a flag. */
function rulesOf(domain: string | null, flags: readonly string[]): Reason[] {
  const found: Reason[] = [];
  if (domain !== null && isRegulated(domain)) {
    const named = domain.trim().toLowerCase();
    found.push(blocking('policy_required', `the domain "${named}" always requires a human review`));
  }
  if (flags.length > 0)
    found.push(
      blocking('sensitive_content', `the request requires a review with the options: ${flags.join(', ')}`),
    );
  return found;
}

function clamped(value: unknown, min: number, max: number, fallback: number): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return fallback;
  return Math.min(max, Math.max(min, value));
}

/** Every name in the right format is sent to the endpoint; `requireAllowedModels` checks the operator's list. */
function modelNames(value: unknown): string[] {
  const usable = namesIn(value).filter((name) => modelName.test(name));
  return [...new Set(usable)].slice(0, maximumExtraCandidates);
}

/** Returns the names in a comma-separated string or in an array of strings. */
export function namesIn(value: unknown): string[] {
  const names = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  return names
    .filter((name): name is string => typeof name === 'string')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
