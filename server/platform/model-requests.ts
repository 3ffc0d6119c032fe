/*
 * Counts the requests to models in this process, until `takeModelRequests` hands the counts over. Counting needs no
 * database, so that it delays no text job.
 */

/** Upper limits of the classes of durations, in seconds. The last class has no limit. */
export const durationLimits = [0.1, 0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 30, 45, 60, 120] as const;

/** Requests with the same model, mode, outcome and class of durations. */
export interface ModelRequests {
  model: string;
  /** How JSON was requested; `vectors` for an embedding model. */
  mode: string;
  /** `ok`, or the kind of the failure. */
  outcome: string;
  /** The index of the first limit in `durationLimits` that is not exceeded, or the number of limits. */
  duration: number;
  requests: number;
  inputTokens: number;
  outputTokens: number;
}

/** Adds tokens to the running request. */
export type CountTokens = (tokens: { inputTokens: number; outputTokens: number }) => void;

/** Maximum different entries between two calls of `takeModelRequests`, because callers may name any model. */
const maxEntries = 5000;

let counted = new Map<string, ModelRequests>();

/** Sends one request to a model, and counts it with its duration, tokens and outcome. */
export async function recordModelRequest<T>(
  of: Pick<ModelRequests, 'model' | 'mode'>,
  send: (count: CountTokens) => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  const tokens = { inputTokens: 0, outputTokens: 0 };
  let outcome = 'ok';
  try {
    return await send(({ inputTokens, outputTokens }) => {
      tokens.inputTokens += inputTokens;
      tokens.outputTokens += outputTokens;
    });
  } catch (error) {
    outcome = kindOf(error);
    throw error;
  } finally {
    const duration = classOf((performance.now() - begun) / 1000);
    addModelRequests([{ ...of, outcome, duration, requests: 1, ...tokens }]);
  }
}

/** Returns the kind of an UpstreamFailure. */
function kindOf(error: unknown): string {
  const { kind } = error as { kind?: unknown };
  return typeof kind === 'string' ? kind : 'internal';
}

function classOf(seconds: number): number {
  const found = durationLimits.findIndex((limit) => seconds <= limit);
  return found === -1 ? durationLimits.length : found;
}

/** Adds counts. Counts that `takeModelRequests` has returned can be added again if they could not be stored. */
export function addModelRequests(added: readonly ModelRequests[]): void {
  for (const one of added) {
    const key = JSON.stringify([one.model, one.mode, one.outcome, one.duration]);
    const known = counted.get(key);
    if (known) {
      known.requests += one.requests;
      known.inputTokens += one.inputTokens;
      known.outputTokens += one.outputTokens;
    } else if (counted.size < maxEntries) counted.set(key, { ...one });
  }
}

/** Returns what was counted since the last call. */
export function takeModelRequests(): ModelRequests[] {
  const taken = [...counted.values()];
  counted = new Map();
  return taken;
}
