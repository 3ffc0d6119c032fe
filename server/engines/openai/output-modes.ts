import { countEvent } from '#server/telemetry.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/**
 * How a model is asked for JSON, the most reliable way first: by a schema that the endpoint enforces, by JSON mode, or by the
 * instructions alone. The last two put the schema into the instructions. The response is checked against the same schema in
 * every mode.
 */
export const outputModes = ['json_schema', 'json_object', 'instructions'] as const;

export type OutputMode = (typeof outputModes)[number];

/**
 * Remembers in which mode each model of an endpoint answers. Some endpoints refuse a mode, others ignore what they do not know.
 * Each process learns it by its first calls; a refusal costs no tokens.
 */
export interface OutputModes {
  /**
   * Asks in the model's mode. If the endpoint refuses that one, asks in the others at once: no wait would help. The first
   * that is accepted is the model's from then on. Two responses in a row that are not the JSON that was asked for move the
   * model to the next mode.
   *
   * @param ask rejects with an UpstreamFailure: `unsupported` for a refusal, `unstructured` for such a response
   * @throws what `ask` rejects with; the first refusal if every mode is refused
   */
  run<T>(model: string, ask: (mode: OutputMode) => Promise<T>): Promise<T>;
  /** The mode that the model is asked in, as far as is known. */
  modeOf(model: string): OutputMode;
}

/** What is known of a model. One without an entry is asked in the first mode. */
interface Entry {
  mode: OutputMode;
  /** Milliseconds, when the model got this mode or the first mode was last tried again. */
  since: number;
  /** Responses in a row that were not the JSON that was asked for. */
  misses: number;
}

/** One is an accident. An endpoint that ignores the mode, or a model that cannot follow it, fails again. */
const missesAllowed = 1;

/** After so long, one call tries the first mode again: the endpoint may have been upgraded. */
export const recheckMs = 3_600_000;

/** Models that are remembered; callers may name any (`candidate_models`). */
const mostModels = 1000;

/** @param now milliseconds of a clock that never goes back; a parameter for tests */
export function openOutputModes(now: () => number = () => performance.now()): OutputModes {
  const entries = new Map<string, Entry>();
  const [best] = outputModes;

  /** The mode of the next call. */
  function choose(model: string): OutputMode {
    const entry = entries.get(model);
    if (!entry || now() - entry.since < recheckMs) return entry?.mode ?? best;
    // The next calls do not wait for what this one finds.
    entry.since = now();
    return best;
  }

  function remember(model: string, entry: Entry): void {
    entries.delete(model);
    const [oldest] = entries.keys();
    if (entries.size >= mostModels && oldest !== undefined) entries.delete(oldest);
    entries.set(model, entry);
  }

  function noteAnswer(model: string, mode: OutputMode): void {
    const entry = entries.get(model);
    // Where another mode is remembered, the endpoint has changed.
    if (mode === best) entries.delete(model);
    else if (mode === entry?.mode) entry.misses = 0;
  }

  function noteMiss(model: string, mode: OutputMode): void {
    const entry = entries.get(model) ?? { mode: best, since: now(), misses: 0 };
    // Else the call began before the model got its present mode, or it tried the first one again.
    if (mode !== entry.mode) return;
    const next = outputModes[outputModes.indexOf(mode) + 1];
    if (entry.misses >= missesAllowed && next) remember(model, { mode: next, since: now(), misses: 0 });
    else remember(model, { ...entry, misses: entry.misses + 1 });
  }

  return {
    modeOf: (model) => entries.get(model)?.mode ?? best,
    async run(model, ask) {
      const first = choose(model);
      let refusal: UpstreamFailure | undefined;
      for (const mode of [first, ...outputModes.filter((other) => other !== first)]) {
        const accepted = (): void => {
          if (refusal) remember(model, { mode, since: now(), misses: 0 });
        };
        try {
          const answer = await ask(mode);
          accepted();
          noteAnswer(model, mode);
          return answer;
        } catch (thrown) {
          const kind = thrown instanceof UpstreamFailure ? thrown.kind : undefined;
          if (kind === 'unstructured' || kind === 'malformed') accepted();
          if (kind === 'unstructured') noteMiss(model, mode);
          if (!(thrown instanceof UpstreamFailure) || kind !== 'unsupported') throw thrown;
          countEvent('engine_retries', kind);
          refusal ??= thrown;
        }
      }
      throw refusal;
    },
  };
}
