import { AppError } from '#server/errors.ts';
import { answered, engineOf } from '#test/setup/engine.ts';

/** An engine that translates as the stub does, and fails at texts with the word "broken" until it is mended. While it is held it takes its time. */
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
    /** @returns a function that lets it go on */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
}
