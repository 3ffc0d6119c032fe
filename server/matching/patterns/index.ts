/**
 * Regular expressions of workspaces, in the syntax of RE2. Such an expression is a program: a repetition is compiled as often
 * as it counts, and 22 characters can need seconds. So it is weighed before it is compiled (`compile.ts`), on a thread or
 * in a child process only (`server/platform/patterns/`).
 */

/**
 * The largest weight of one pattern, and of all patterns of a list. `[A-Z]{2}\d{6}` weighs 8. Patterns of the total weight are
 * compiled in less than 0.2 s.
 */
export const patternLimits = { one: 4000, all: 20_000 } as const;

/** The weight of a Unicode class such as `\pL`, which can have 700 ranges. A literal weighs 1. */
const unicodeClass = 10;

/** Why a pattern cannot be used. The message is for its author. */
export class PatternError extends Error {
  override name = 'PatternError';
}

/**
 * Requires that patterns are not too large to be compiled, without compiling them.
 * @param what names the patterns in the error
 * @throws {PatternError}
 */
export function requireSmall(patterns: readonly string[], what: string): void {
  const problem = problemOfSize(patterns);
  if (problem !== undefined) throw new PatternError(`${what}: ${problem}`);
}

/** Returns the reason why patterns are too large; undefined if they are not. Takes linear time. */
export function problemOfSize(patterns: readonly string[]): string | undefined {
  let all = 0;
  for (const pattern of patterns) {
    const weight = weightOfPattern(pattern);
    if (weight > patternLimits.one) return tooLarge('the pattern', weight, patternLimits.one);
    all += weight;
  }
  return all > patternLimits.all ? tooLarge('the patterns together', all, patternLimits.all) : undefined;
}

function tooLarge(what: string, weight: number, limit: number): string {
  const size = weight < 1e9 ? `${Math.ceil(weight)} parts` : 'more than a billion parts';
  return `${what} would have ${size} with all repetitions written out; at most ${limit} are allowed`;
}

/**
 * Returns how large a pattern is with its repetitions written out: at least half of the number of instructions of its
 * program. Takes linear time. An invalid pattern has a weight, too.
 */
export function weightOfPattern(pattern: string): number {
  /** The open groups: the weight of their parts, and of the last part, to which a repetition applies. */
  const open: { sum: number; last: number }[] = [{ sum: 0, last: 0 }];
  const add = (weight: number) => {
    const group = open.at(-1)!;
    group.sum += group.last;
    group.last = weight;
  };
  for (const [text, quoted, escaped, set, opening, least, most] of pattern.matchAll(parts)) {
    const group = open.at(-1)!;
    if (quoted !== undefined) for (const _ of quoted) add(1);
    else if (escaped !== undefined) add(/^[pP]/.test(escaped) ? unicodeClass : 1);
    else if (set !== undefined) add(weightOfSet(set));
    else if (opening !== undefined) {
      // Flags such as `(?i)` add nothing.
      if (!opening.endsWith(')')) open.push({ sum: 2, last: 0 });
    } else if (least !== undefined) {
      // `a{2,}` is compiled as `aaa*`.
      group.last *= Math.max(1, Number(least), most ? Number(most) : most === '' ? Number(least) + 1 : 0);
    } else if (text === ')' && open.length > 1) {
      open.pop();
      add(group.sum + group.last);
    } else if ('*+?'.includes(text)) group.last += 1;
    else add(1);
  }
  return open.reduce((all, { sum, last }) => all + sum + last, 0);
}

/** A quoted text, an escape, a set, the opening of a group or flags, or a counted repetition; otherwise one character. */
const parts =
  /\\Q([\s\S]*?)(?:\\E|$)|\\([pPx]\{[^}]{0,50}\}|[pP][\s\S]|[\s\S]|$)|(\[\^?\]?(?:\[:\^?\w{1,20}:\]|\\[pPx]\{[^}]{0,50}\}|\\[\s\S]|[^\]\\])*\]?)|(\((?:\?(?:P?<[^>]{0,200}>|[a-zA-Z-]{0,20}[:)]?))?)|\{(\d+)(?:,(\d*))?\}|[\s\S]/gu;

function weightOfSet(set: string): number {
  const unicodeClasses = set.match(/\\[pP]/g)?.length ?? 0;
  return 1 + unicodeClass * unicodeClasses + Math.floor(set.length / 30);
}
