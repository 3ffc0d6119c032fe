import type { Engine } from '#server/platform/engines/engine.ts';
import { answered, engineOf } from './engine.ts';
import { poll } from './poll.ts';

/** A run of the translation engine that does not return until the test ends it. */
export interface HeldRun {
  text: string;
  /** Aborts if the service aborts the run. */
  signal: AbortSignal | undefined;
  /** Ends the run with the translation «text», and reports `tokens` input tokens and as many output tokens. */
  succeed(tokens?: number): void;
  fail(error: Error): void;
}

/**
 * Creates an engine for tests. It holds each text that starts with `held` until the test ends the run, and translates
 * other texts immediately.
 */
export function holdRuns() {
  const all: HeldRun[] = [];
  let seen = 0;
  const engine: Engine = engineOf(async ({ segments }, { signal }) => {
    const [text = ''] = segments;
    if (!text.startsWith('held')) return answered(segments.map((segment) => `«${segment}»`));
    return new Promise((resolve, reject) => {
      all.push({ text, signal, succeed: (tokens) => resolve(answered([`«${text}»`], tokens)), fail: reject });
    });
  });
  return {
    engine,
    /** Returns the next run that the engine has begun, in the order of their start. */
    async next(): Promise<HeldRun> {
      const run = await poll(async () => all[seen]);
      seen += 1;
      return run;
    },
    /** Ends all runs that the test has not ended. */
    release(): void {
      for (const run of all.splice(0)) run.fail(new Error('the test is over'));
      seen = 0;
    },
  };
}
