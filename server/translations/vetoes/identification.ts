import { createRequire } from 'node:module';

/** How well a text fits each language, by ISO 639-1 code, 0 to 1. Languages that it does not fit at all are missing. */
export type Scores = Readonly<Record<string, number>>;

let identify: ((text: string) => Scores) | undefined;

/**
 * Which language a text is in, by the profiles of `eld`. It reads some 350 bytes of UTF-8 and no more.
 *
 * The profiles are loaded by the first call. They are an ES module, which only `require` loads at once.
 */
export function identified(text: string): Scores {
  identify ??= loadProfiles();
  return identify(text);
}

function loadProfiles(): (text: string) => Scores {
  const require = createRequire(import.meta.url);
  return (require('./language-profiles.ts') as typeof import('./language-profiles.ts')).identify;
}
