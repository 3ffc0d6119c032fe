/** How far the pipeline goes for one request: the keys of B 2.6 that it reads, clamped. */
export interface QualityOptions {
  /** 0 to 100: a score below it is repaired, and does not publish by itself. */
  threshold: number;
  /** Repairs at the most, 1 to 5. */
  repairRounds: number;
  /** The model of the baseline; undefined for the deployment's own. */
  primaryModel: string | undefined;
  /** Models of the extra candidates, two at the most; none without `candidate_models`. */
  candidateModels: string[];
  /** How often the candidates are compared, 1 to 3. */
  debateRounds: number;
}

const maximumExtraCandidates = 2;
/** What endpoints call their models; anything else would only travel into logs and exports. */
const modelName = /^[\w.:/@+-]{1,200}$/;

/** Reads `request.metadata`. A value of another type counts as absent, as an unknown key does. */
export function readQualityOptions(metadata: Record<string, unknown>): QualityOptions {
  return {
    threshold: clamped(metadata['min_quality_score'], 0, 100, 85),
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

/** The names themselves are the endpoint's business (B 2.6), unless the operator lists them (`limits.ts`). */
function modelNames(value: unknown): string[] {
  const usable = namesIn(value).filter((name) => modelName.test(name));
  return [...new Set(usable)].slice(0, maximumExtraCandidates);
}

/** What a comma-separated string or an array of strings names. */
export function namesIn(value: unknown): string[] {
  const names = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  return names
    .filter((name): name is string => typeof name === 'string')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
