import { AppError } from '#server/errors.ts';
import { answered, engineOf } from '#test/setup/engine.ts';

/** An engine that translates as the stub does, and fails at texts with the word "broken" until it is mended. */
export function breakingEngine() {
  let isBroken = true;
  return {
    engine: engineOf(async ({ segments, targetLang }) => {
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
  };
}
