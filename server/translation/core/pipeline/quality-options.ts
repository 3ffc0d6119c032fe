/** The minimum score for publishing automatically, if the request does not set one. */
export const defaultThreshold = 85;

/**
 * The options of one request that the pipeline reads from the metadata. Values outside an option's range are set to the
 * nearest limit.
 */
export interface QualityOptions {
  /** 0 to 100. A translation with a lower score is repaired, and not published without review. */
  threshold: number;
  /** Maximum number of repairs, 1 to 5. */
  repairRounds: number;
  /** The model of the baseline; undefined for the deployment's default. */
  primaryModel: string | undefined;
  /** Names of the candidate models, 0 to 2. */
  candidateModels: string[];
  /** Number of comparisons of the candidates, 1 to 3. */
  debateRounds: number;
}

const maximumExtraCandidates = 2;
/** The format of model names. Other values are ignored, and do not appear in logs and exports. */
const modelName = /^[\w.:/@+-]{1,200}$/;

/** Reads the options from `request.metadata`. A value of the wrong type counts as absent. */
export function readQualityOptions(metadata: Record<string, unknown>): QualityOptions {
  return {
    threshold: clamped(metadata['min_quality_score'], 0, 100, defaultThreshold),
    repairRounds: Math.trunc(clamped(metadata['max_quality_loop_retries'], 1, 5, 2)),
    primaryModel: modelNames(metadata['primary_model'])[0],
    candidateModels: modelNames(metadata['candidate_models']),
    debateRounds: Math.trunc(clamped(metadata['debate_rounds'], 1, 3, 1)),
  };
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
