import { AppError } from '#server/errors.ts';
import { answered, engineOf } from '#test/setup/engine.ts';

/**
 * An engine that translates like the stub engine. It fails for texts with the word "broken" until the test fixes it. A
 * test can also hold it, so that it does not respond.
 */
export function breakingEngine() {
  let isBroken = true;
  let held: Promise<void> | undefined;
  return {
    engine: engineOf(async ({ segments, targetLang }) => {
      await held;
      if (isBroken && segments.some((segment) => segment.includes('broken')))
        throw new AppError('transient_error', 'the model could not be reached');
      return answered(segments.map((segment) => `[${targetLang}] ${segment}`));
    }),
    mend(): void {
      isBroken = false;
    },
    break(): void {
      isBroken = true;
    },
    /** @returns a function that lets the engine respond again */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
}
