import { eld } from 'eld/extrasmall';

/*
 * The profiles of 60 languages take 0.2 to 0.4 s to load and 85 MB of memory, 30 MB of this on the heap. This is a separate
 * file, so that commands do not load them: `language.ts` loads the file when a service starts.
 */

/**
 * Returns how well a text fits each language, by ISO 639-1 code, 0 to 1. Reads about 350 bytes of UTF-8. Languages that
 * do not fit are missing.
 */
export const identify = (text: string): Record<string, number> => eld.detect(text).getScores();
