import { countEvent } from '../../telemetry.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/**
 * Ways to request JSON from a model, the most reliable one first: by a schema that the endpoint enforces, by JSON
 * mode, or only by the instructions. In the last two modes, the instructions contain the schema. The response is
 * checked against the same schema in every mode.
 */
const outputModes = ['json_schema', 'json_object', 'instructions'] as const;

export type OutputMode = (typeof outputModes)[number];

/**
 * Remembers for each model of an endpoint in which mode it responds with JSON. Some endpoints reject unsupported
 * modes, others ignore them. Each process learns the mode from its first calls; a rejection costs no tokens.
 */
export interface OutputModes {
  /**
   * Calls `ask` with the model's mode. If the endpoint rejects this mode, calls `ask` with the others immediately,
   * because waiting would not help. The first accepted mode becomes the model's mode. If two responses in a row are
   * not the requested JSON, the model gets the next mode. A call does not change the mode if a concurrent call has
   * changed it in the meantime.
   *
   * @param ask rejects with an UpstreamFailure: `unsupported` if the endpoint rejects the mode, `unstructured` if the
   * response is not the requested JSON
   * @throws the error of `ask`; if every mode is rejected, the first rejection, or an `outage` if one was a server
   * error
   */
  run<T>(model: string, ask: (mode: OutputMode) => Promise<T>): Promise<T>;
  /** Returns the current mode of a model. */
  modeOf(model: string): OutputMode;
}

/** The recorded mode of a model. A model without an entry has the first mode. */
interface Entry {
  mode: OutputMode;
  /** When the model got this mode, or when the first mode was last tried again, in milliseconds of the clock. */
  since: number;
  /** The number of successive responses that were not the requested JSON. */
  misses: number;
}

/** The response of the endpoint to a call in one mode. */
interface Outcome {
  /** The kinds `unstructured` and `malformed` are those of UpstreamFailure. */
  kind: 'answer' | 'unstructured' | 'malformed';
  /** Whether the endpoint has rejected other modes during this call. */
  refused: boolean;
  /** The model's mode when the call began. */
  known: OutputMode;
}

/**
 * Number of responses without the requested JSON that do not change the mode. One may be an accident. If the endpoint
 * ignores the mode or the model cannot follow it, the next response fails, too.
 */
const missesAllowed = 1;

/** Milliseconds after which one call tries the first mode again, because the endpoint may have been upgraded. */
export const recheckMs = 3_600_000;

/** Maximum models that are remembered, because callers may request any model (`candidate_models`). */
const maxModels = 1000;

/**
 * @param modes the modes that the endpoint may have, the most reliable one first
 * @param now returns the milliseconds of a clock that never goes back; tests replace it
 */
export function openOutputModes(
  now: () => number = () => performance.now(),
  modes: readonly [OutputMode, ...OutputMode[]] = outputModes,
): OutputModes {
  const entries = new Map<string, Entry>();
  const [best] = modes;

  /** Returns the modes of the next call, in the order in which they are tried. */
  function choose(model: string): OutputMode[] {
    const entry = entries.get(model);
    const known = entry?.mode ?? best;
    const isRecheck = entry !== undefined && now() - entry.since >= recheckMs;
    // Set the time now, so that only this call tries the first mode again.
    if (isRecheck) entry.since = now();
    // The mode that has worked comes before modes that the endpoint might accept and ignore.
    return [...new Set([isRecheck ? best : known, known, ...modes])];
  }

  function remember(model: string, entry: Entry): void {
    entries.delete(model);
    const [oldest] = entries.keys();
    if (entries.size >= maxModels && oldest !== undefined) entries.delete(oldest);
    entries.set(model, entry);
  }

  /** Updates the recorded mode after a response in `mode`. */
  function learn(model: string, mode: OutputMode, { known, refused, kind }: Outcome): void {
    const entry = entries.get(model) ?? { mode: best, since: now(), misses: 0 };
    // A concurrent call has changed the mode, and its result is more recent than this one.
    if (entry.mode !== known) return;
    const isMiss = kind === 'unstructured';
    if (kind === 'answer') {
      // Remove the entry: a model without one is called in the first mode.
      if (mode === best) entries.delete(model);
      else if (mode === known) entry.misses = 0;
      else remember(model, { mode, since: now(), misses: 0 });
    } else if (mode !== known) {
      // Change the mode only if the known one was rejected. Otherwise this was only another attempt with the first
      // mode, without success.
      if (refused) remember(model, { mode, since: now(), misses: isMiss ? 1 : 0 });
    } else if (isMiss) {
      const next = modes[modes.indexOf(mode) + 1];
      if (entry.misses >= missesAllowed && next) remember(model, { mode: next, since: now(), misses: 0 });
      else remember(model, { ...entry, misses: entry.misses + 1 });
    }
  }

  return {
    modeOf: (model) => entries.get(model)?.mode ?? best,
    async run(model, ask) {
      const known = entries.get(model)?.mode ?? best;
      const refusals: UpstreamFailure[] = [];
      for (const mode of choose(model))
        try {
          const answer = await ask(mode);
          learn(model, mode, { known, refused: refusals.length > 0, kind: 'answer' });
          return answer;
        } catch (thrown) {
          if (!(thrown instanceof UpstreamFailure)) throw thrown;
          const { kind } = thrown;
          if (kind === 'unstructured' || kind === 'malformed')
            learn(model, mode, { known, refused: refusals.length > 0, kind });
          if (kind !== 'unsupported') throw thrown;
          countEvent('engine_retries', kind);
          refusals.push(thrown);
        }
      throw refusedInAll(refusals);
    },
  };
}

/**
 * Returns the failure of a call that was rejected in every mode. If one rejection was a server error, it may have
 * been temporary and its message only looked like a rejection of the mode, so the result is an outage.
 */
function refusedInAll(refusals: readonly UpstreamFailure[]): UpstreamFailure | undefined {
  const error = refusals.find(({ facts }) => (facts.status ?? 0) >= 500);
  return error
    ? new UpstreamFailure('outage', 'the endpoint rejected every response format', error.facts)
    : refusals[0];
}
