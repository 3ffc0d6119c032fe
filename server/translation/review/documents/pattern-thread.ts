import { RE2JS } from 're2js';
import { serveThread } from '#server/platform/threads/serve-thread.ts';

/** The texts of a segment: the position, the searched texts. */
export type SearchedTexts = readonly [position: number, ...texts: string[]];

/** The tasks of a thread. */
const work = {
  /** Returns the positions of the segments in which a pattern matches. The time is linear in the length of the texts. */
  find: ({ pattern, segments }: { pattern: string; segments: readonly SearchedTexts[] }): number[] => {
    const compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    return segments.flatMap(([position, ...texts]) =>
      texts.some((text) => compiled.matcher(text).find()) ? [position] : [],
    );
  },
};

export type PatternWork = typeof work;

serveThread(work);
