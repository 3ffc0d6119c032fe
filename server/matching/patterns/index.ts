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

/**
 * Where case is ignored, the parser looks up each character of a range such as `[b-\x{1e942}]` from `first` to `last`, unless
 * the range has all of them. So many characters weigh as much as a literal: each takes 30 to 85 ns.
 */
const folding = { first: 0x41, last: 0x1e943, perWeight: 100 } as const;

/** How patterns are compiled. */
export interface PatternOptions {
  /** Whether case is ignored everywhere, as with `(?i)` before the pattern. */
  ignoreCase?: boolean;
}

/** Why a pattern cannot be used. The message is for its author. */
export class PatternError extends Error {
  override name = 'PatternError';
}

/**
 * Requires that patterns are not too large to be compiled, without compiling them.
 * @param what names the patterns in the error
 * @throws {PatternError}
 */
export function requireSmall(patterns: readonly string[], what: string, options?: PatternOptions): void {
  const problem = problemOfSize(patterns, options);
  if (problem !== undefined) throw new PatternError(`${what}: ${problem}`);
}

/** Returns the reason why patterns are too large; undefined if they are not. Takes linear time. */
export function problemOfSize(patterns: readonly string[], options?: PatternOptions): string | undefined {
  let all = 0;
  for (const pattern of patterns) {
    const weight = weightOfPattern(pattern, options);
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
 * program. Wide ranges weigh more where case is ignored: once, because they are parsed once, however often they are repeated.
 * Takes linear time. An invalid pattern has a weight, too.
 */
export function weightOfPattern(pattern: string, { ignoreCase = false }: PatternOptions = {}): number {
  // A flag for a part of the pattern counts for all of it.
  const folds = ignoreCase || /\(\?[a-zA-Z-]*i/.test(pattern);
  let folded = 0;
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
    else if (set !== undefined) {
      add(weightOfSet(set));
      if (folds) folded += weightOfFolding(set);
    } else if (opening !== undefined) {
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
  return open.reduce((all, { sum, last }) => all + sum + last, folded);
}

/** A quoted text, an escape, a set, the opening of a group or flags, or a counted repetition; otherwise one character. */
const parts =
  /\\Q([\s\S]*?)(?:\\E|$)|\\([pPx]\{[^}]{0,50}\}|[pP][\s\S]|[\s\S]|$)|(\[\^?\]?(?:\[:\^?\w{1,20}:\]|\\[pPx]\{[^}]{0,50}\}|\\[\s\S]|[^\]\\])*\]?)|(\((?:\?(?:P?<[^>]{0,200}>|[a-zA-Z-]{0,20}[:)]?))?)|\{(\d+)(?:,(\d*))?\}|[\s\S]/gu;

function weightOfSet(set: string): number {
  const unicodeClasses = set.match(/\\[pP]/g)?.length ?? 0;
  return 1 + unicodeClass * unicodeClasses + Math.floor(set.length / 30);
}

function weightOfFolding(set: string): number {
  let characters = 0;
  for (const [, first, last] of set.replace(/^\[\^?/, '').matchAll(members)) {
    if (first === undefined || last === undefined) continue;
    const [from, to] = [codeOf(first), codeOf(last)];
    if (from <= folding.first && to >= folding.last) continue;
    characters += Math.max(0, Math.min(to, folding.last) - Math.max(from, folding.first) + 1);
  }
  return Math.floor(characters / folding.perWeight);
}

const member = String.raw`(\\x\{[\da-fA-F]*\}|\\x[\da-fA-F]{2}|\\[0-7]{1,3}|\\?[\s\S])`;

/** A class in a set, which is small or has folded ranges; otherwise a character, or the first and the last one of a range. */
const members = new RegExp(
  String.raw`\[:\^?\w{1,20}:\]|\\[pP](?:\{[^}]{0,50}\}|[\s\S])|\\[dDsSwW]|${member}(?:-(?!\])${member})?`,
  'gu',
);

/** Returns the code of a character of a set: `a`, `\.`, `\x61`, `\x{61}` or `\141`. */
function codeOf(character: string): number {
  const [, hexadecimal, octal] = /^\\(?:x\{?([\da-fA-F]+)\}?|([0-7]+))$/.exec(character) ?? [];
  if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return character.codePointAt(character.length > 1 && character.startsWith('\\') ? 1 : 0) ?? 0;
}
