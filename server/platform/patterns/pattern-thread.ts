import { compilePattern } from '#server/matching/patterns/compile.ts';
import { PatternError } from '#server/matching/patterns/index.ts';
import { SegmentationRules, SrxError } from '#server/matching/sentences/srx-rules.ts';
import { serveThread } from '../threads/threads.ts';

/** The texts of a segment: the position, the searched texts. */
export type SearchedTexts = readonly [position: number, ...texts: string[]];

/** The rules that this thread used last, by the hash of their file. Each can take a few megabytes for each language. */
const rulesOfFiles = new Map<string, SegmentationRules | undefined>();
const maxFiles = 16;

/** More than any text has, except a hostile one. */
const mostRanges = 5000;

/** The tasks of a thread. Problems are returned, because errors would lose their messages. */
const work = {
  /** Returns for each pattern whether it matches the empty text, or why it is invalid. */
  check: ({
    patterns,
  }: {
    patterns: readonly string[];
  }): ({ matchesNothing: boolean } | { problem: string })[] =>
    patterns.map((pattern) =>
      orProblem(() => ({ matchesNothing: compilePattern(pattern, 'pattern').matcher('').find() })),
    ),

  /** Returns the positions of the segments in which a pattern matches, in any case. */
  find: ({ pattern, segments }: { pattern: string; segments: readonly SearchedTexts[] }) =>
    orProblem(() => {
      const compiled = compilePattern(pattern, 'pattern', { ignoreCase: true });
      const found = segments.flatMap(([position, ...texts]) =>
        texts.some((text) => compiled.matcher(text).find()) ? [position] : [],
      );
      return { found };
    }),

  /**
   * Returns the ranges of each text that patterns match, in order, at most `mostRanges` of each. They do not overlap, and
   * none is empty. Returns null for a pattern that is invalid, because it was stored without a check.
   */
  match: ({ patterns, texts }: { patterns: readonly string[]; texts: readonly string[] }) => {
    const found = orProblem(() => {
      const joined = patterns.map((pattern) => `(?:${pattern})`).join('|');
      const compiled = compilePattern(joined, 'patterns');
      return texts.map((text) => {
        const ranges: [start: number, end: number][] = [];
        const matcher = compiled.matcher(text);
        while (ranges.length < mostRanges && matcher.find())
          if (matcher.end() > matcher.start()) ranges.push([matcher.start(), matcher.end()]);
        return ranges;
      });
    });
    return 'problem' in found ? null : found;
  },

  /** Checks an SRX file for some languages. Returns the reason why it cannot be used; undefined if it can. */
  checkSrx: ({ srx, languages }: { srx: string; languages: readonly string[] }): string | undefined => {
    try {
      SegmentationRules.checked(Buffer.from(srx), languages);
      return undefined;
    } catch (error) {
      if (error instanceof SrxError) return error.message;
      throw error;
    }
  },

  /**
   * Returns the breaks of each text, with the position up to which the rules were applied; null without rules for its
   * language. Returns `unknown` if this thread needs the content of the file.
   */
  divide: ({ hash, srx, texts }: DividedByRules): 'unknown' | (Breaks | null)[] => {
    if (srx === undefined && !rulesOfFiles.has(hash)) return 'unknown';
    const rules = rulesOfFiles.has(hash) ? rulesOfFiles.get(hash) : SegmentationRules.ofStored(srx!);
    rulesOfFiles.delete(hash);
    rulesOfFiles.set(hash, rules);
    const [oldest] = rulesOfFiles.keys();
    if (rulesOfFiles.size > maxFiles) rulesOfFiles.delete(oldest!);
    return texts.map(({ text, language }) => {
      const positions: number[] = [];
      const applied = rules?.breaksIn(text, language, (position) => positions.push(position));
      return applied === undefined ? null : { positions, applied };
    });
  },
};

/** Texts to be divided by the rules of an SRX file. */
export interface DividedByRules {
  /** The hash of the file. */
  hash: string;
  /** The content of the file, if the thread may not know it. */
  srx?: string | undefined;
  texts: readonly { text: string; language: string }[];
}

/** The positions at which rules divide a text, and the position up to which they were applied. */
export interface Breaks {
  positions: number[];
  applied: number;
}

function orProblem<T>(run: () => T): T | { problem: string } {
  try {
    return run();
  } catch (error) {
    if (error instanceof PatternError) return { problem: error.message };
    throw error;
  }
}

export type PatternWork = typeof work;

serveThread(work);
