import { countEvent } from '../../telemetry.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/**
 * How to request JSON from a model, the most reliable way first: by a schema that the endpoint enforces, by JSON
 * mode, or only by the instructions. The last two put the schema into the instructions. The response is checked
 * against the same schema in every mode.
 */
export const outputModes = ['json_schema', 'json_object', 'instructions'] as const;

export type OutputMode = (typeof outputModes)[number];

/**
 * Remembers in which mode each model of an endpoint responds with JSON. Some endpoints reject a mode, others ignore
 * unknown ones. Each process learns it with its first calls; a rejection costs no tokens.
 */
export interface OutputModes {
  /**
   * Calls in the model's mode. If the endpoint rejects that one, calls in the others immediately: waiting would not
   * help. The first accepted mode is the model's from then on. Two responses in a row that are not the requested JSON
   * move the model to the next mode. If other calls have changed the mode during a call, that call does not change it
   * again.
   *
   * @param ask rejects with an UpstreamFailure: `unsupported` for a rejection, `unstructured` for such a response
   * @throws the error of `ask`; if every mode is rejected, the first rejection, or an `outage` if one was a server
   * error
   */
  run<T>(model: string, ask: (mode: OutputMode) => Promise<T>): Promise<T>;
  /** The known mode of a model. */
  modeOf(model: string): OutputMode;
}

/** The recorded mode of a model. A model without an entry is called in the first mode. */
interface Entry {
  mode: OutputMode;
  /** Milliseconds, when the model got this mode or the first mode was last tried again. */
  since: number;
  /** Responses in a row that were not the requested JSON. */
  misses: number;
}

/** How the endpoint has responded to a call in one mode. */
interface Outcome {
  /** `unstructured` and `malformed` as in UpstreamFailure. */
  kind: 'answer' | 'unstructured' | 'malformed';
  /** Whether it rejected the call in other modes before. */
  refused: boolean;
  /** The model's mode when the call began. */
  known: OutputMode;
}

/**
 * A single one may be an accident. An endpoint that ignores the mode, or a model that cannot follow it, fails again.
 */
const missesAllowed = 1;

/** After this time, one call tries the first mode again: the endpoint may have been upgraded. */
export const recheckMs = 3_600_000;

/** The number of remembered models; callers may name any (`candidate_models`). */
const maxModels = 1000;

/** @param now milliseconds of a clock that never goes back; a parameter for tests */
export function openOutputModes(now: () => number = () => performance.now()): OutputModes {
  const entries = new Map<string, Entry>();
  const [best] = outputModes;

  /** The modes of the next call, in the order in which it asks in them. */
  function choose(model: string): OutputMode[] {
    const entry = entries.get(model);
    const known = entry?.mode ?? best;
    const isRecheck = entry !== undefined && now() - entry.since >= recheckMs;
    // The next calls do not wait for the result of this one.
    if (isRecheck) entry.since = now();
    // The mode that works comes before those that may be accepted and ignored.
    return [...new Set([isRecheck ? best : known, known, ...outputModes])];
  }

  function remember(model: string, entry: Entry): void {
    entries.delete(model);
    const [oldest] = entries.keys();
    if (entries.size >= maxModels && oldest !== undefined) entries.delete(oldest);
    entries.set(model, entry);
  }

  /** Learns from a response in `mode`. */
  function learn(model: string, mode: OutputMode, { known, refused, kind }: Outcome): void {
    const entry = entries.get(model) ?? { mode: best, since: now(), misses: 0 };
    // A concurrent call changed the mode, and its result is newer than this one's.
    if (entry.mode !== known) return;
    const isMiss = kind === 'unstructured';
    if (kind === 'answer') {
      // A model in the first mode needs no entry.
      if (mode === best) entries.delete(model);
      else if (mode === known) entry.misses = 0;
      else remember(model, { mode, since: now(), misses: 0 });
    } else if (mode !== known) {
      // Otherwise the first mode was tried again, without success.
      if (refused) remember(model, { mode, since: now(), misses: isMiss ? 1 : 0 });
    } else if (isMiss) {
      const next = outputModes[outputModes.indexOf(mode) + 1];
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
 * The failure of a call that was rejected in every mode. If one rejection was a server error, its message was
 * misleading, and the error may be temporary.
 */
function refusedInAll(refusals: readonly UpstreamFailure[]): UpstreamFailure | undefined {
  const error = refusals.find(({ facts }) => (facts.status ?? 0) >= 500);
  return error ? new UpstreamFailure('outage', 'refused in every mode', error.facts) : refusals[0];
}
