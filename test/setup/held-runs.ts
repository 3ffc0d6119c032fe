import type { Engine } from '#server/platform/engines/engine.ts';
import { answered, engineOf } from './engine.ts';
import { poll } from './poll.ts';

/** A translation that is held until the test ends it. */
export interface HeldRun {
  text: string;
  /** Aborts when the service aborts the run. */
  signal: AbortSignal | undefined;
  /** Returns «text», at a cost of `tokens` input and output tokens. */
  succeed(tokens?: number): void;
  fail(error: Error): void;
}

/** An engine that holds texts starting with `held` until the test ends them; other texts are translated immediately. */
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
    /** The next run that the engine has begun, in their order. */
    async next(): Promise<HeldRun> {
      const run = await poll(async () => all[seen]);
      seen += 1;
      return run;
    },
    /** Ends all remaining runs of a test. */
    release(): void {
      for (const run of all.splice(0)) run.fail(new Error('the test is over'));
      seen = 0;
    },
  };
}
