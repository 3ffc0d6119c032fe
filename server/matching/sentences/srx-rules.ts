import { readSrx, type Srx, type SrxRule, XmlFileError } from '#server/formats/srx.ts';
import { compilePattern, compileSet, type Pattern } from '../patterns/compile.ts';
import { PatternError, requireSmall, weightOfPattern } from '../patterns/index.ts';
import type { SentenceRules } from './index.ts';

/** The reason why an SRX file cannot be used. The message is for the sender of the file. */
export class SrxError extends Error {
  override name = 'SrxError';
}

/** Characters before and after a position that a rule can read. */
const reach = { before: 100, after: 50 };

/**
 * Limits of the rules of one language: their number, the weight of their patterns (`weightOfPattern`), and bytes of their state
 * machine, which is compiled when the first text of the language arrives: in 0.4 ms for each rule. `file` limits the weight
 * of all patterns of a file.
 */
const limits = { rules: 300, weight: 40_000, file: 400_000, memory: 4 << 20 };

/**
 * Milliseconds that rules may take for each character, which is four times what 300 usual rules take, and what they may take
 * beyond that: so much at once, and so much for each second. A workspace with slow rules must not hold up the others, also
 * not with many short texts.
 */
const patience = { character: 0.002, spare: 300, spareOfSecond: 20 };

/** Stands between the text before and the text after a position. No text contains this noncharacter. */
const here = '\uffff';

/** The rules for one language, as one state machine. */
interface Machine {
  set: ReturnType<typeof compileSet>;
  /** Whether each rule is a break. */
  breaks: boolean[];
}

/** A rule whose patterns are written for the engine. */
interface TranslatedRule extends SrxRule {
  weight: number;
}

/**
 * The rules of an SRX file. Their patterns come from a workspace, so only threads and child processes with a deadline use
 * them, and an engine runs them whose time is linear in the text, whatever the patterns are.
 */
export class SegmentationRules implements SentenceRules {
  readonly #maps: Srx['maps'];
  readonly #cascade: boolean;
  readonly #groups: ReadonlyMap<string, readonly TranslatedRule[]>;
  /** The patterns of the maps, compiled when the first text arrives. */
  #patternsOfMaps: Pattern[] | undefined;
  /** By language; null if it has no rules. */
  readonly #machines = new Map<string, Machine | null>();
  /** By the names of the groups, because most languages have the same. */
  readonly #machinesOfGroups = new Map<string, Machine>();
  /** The milliseconds that the rules may take beyond the usual time, and when this number was computed. */
  #spare = patience.spare;
  #sparedAt = performance.now();

  /**
   * Reads a file and weighs its patterns, but compiles none.
   * @param bytes an SRX 2.0 file
   * @throws {SrxError} if the file cannot be read, or its patterns are too large
   */
  constructor(bytes: Uint8Array) {
    const { maps, cascade, groups } = withReason(() => readSrx(bytes));
    this.#maps = maps;
    this.#cascade = cascade;
    this.#groups = withReason(
      () => new Map([...groups].map(([name, rules]) => [name, rules.map(translateRule)])),
    );
    let weight = 0;
    for (const { pattern } of maps) {
      withReason(() => requireSmall([pattern], nameOfMap(pattern)));
      weight += weightOfPattern(pattern);
    }
    for (const rule of [...this.#groups.values()].flat()) weight += rule.weight;
    if (weight > limits.file)
      throw new SrxError(
        `the patterns of the file would have ${weight} parts with all repetitions written out; at most ${limits.file} are allowed`,
      );
  }

  /**
   * Reads a file that was stored. Returns undefined if it is not usable: it was stored before the weight of patterns was limited.
   * The built-in rules then apply, because sentences only decide what is looked up.
   */
  static ofStored(srx: string): SegmentationRules | undefined {
    try {
      return new SegmentationRules(Buffer.from(srx));
    } catch (error) {
      if (error instanceof SrxError) return undefined;
      throw error;
    }
  }

  /**
   * Reads a file and checks all its patterns.
   * @param languages the codes of the languages whose rules are counted
   * @throws {SrxError} if the file cannot be read, has too many rules, or a pattern that is too large or not supported
   */
  static checked(bytes: Uint8Array, languages: readonly string[]): SegmentationRules {
    const checked = new SegmentationRules(bytes);
    withReason(() => {
      checked.#compileMaps();
      for (const { before, after, number } of [...checked.#groups.values()].flat())
        for (const pattern of [before, after]) compilePattern(pattern, `rule ${number}`);
    });
    for (const language of languages) {
      const rules = checked.#rulesOf(checked.#groupsFor(language));
      if (rules.length > limits.rules)
        throw new SrxError(
          `the file has ${rules.length} rules for ${language}; at most ${limits.rules} are allowed`,
        );
      const weight = rules.reduce((sum, rule) => sum + rule.weight, 0);
      if (weight > limits.weight)
        throw new SrxError(
          `the patterns for ${language} would have ${weight} parts with all repetitions written out; at most ${limits.weight} are allowed`,
        );
    }
    return checked;
  }

  /**
   * Calls `push` with each break in a text, in order. A position inside a word, or between a word and a word in lower case,
   * is never a break. Returns the position up to which the rules were applied: the end of the text, unless they took too
   * long. Returns undefined if the file has no rules for the language.
   */
  breaksIn(text: string, language: string, push: (position: number) => void): number | undefined {
    const machine = this.#machineOf(language);
    if (!machine) return undefined;
    const begun = performance.now();
    const usual = patience.character * text.length;
    const refilled = this.#spare + ((begun - this.#sparedAt) / 1000) * patience.spareOfSecond;
    this.#spare = Math.min(patience.spare, refilled);
    this.#sparedAt = begun;
    const end = begun + usual + this.#spare;
    let reached = text.length;
    for (let at = 1; at < text.length; at += 1) {
      if (!canBreak(text, at)) continue;
      if (performance.now() > end) {
        reached = at;
        break;
      }
      const around = `${text.slice(Math.max(0, at - reach.before), at)}${here}${text.slice(at, at + reach.after)}`;
      const [first] = machine.set.match(around);
      if (first !== undefined && machine.breaks[first]) push(at);
    }
    this.#spare -= Math.max(0, performance.now() - begun - usual);
    return reached;
  }

  /** Returns the names of the groups of rules for a language. */
  #groupsFor(language: string): string[] {
    const patterns = this.#compileMaps();
    const names = this.#maps.filter((_, at) => patterns[at]!.matches(language)).map(({ group }) => group);
    return [...new Set(this.#cascade ? names : names.slice(0, 1))];
  }

  #compileMaps(): readonly Pattern[] {
    this.#patternsOfMaps ??= this.#maps.map(({ pattern }) => compilePattern(pattern, nameOfMap(pattern)));
    return this.#patternsOfMaps;
  }

  #rulesOf(groups: readonly string[]): TranslatedRule[] {
    return groups.flatMap((name) => this.#groups.get(name) ?? []);
  }

  #machineOf(language: string): Machine | null {
    const known = this.#machines.get(language);
    if (known !== undefined) return known;
    const groups = this.#groupsFor(language);
    const machine = this.#machinesOfGroups.get(groups.join('\n')) ?? this.#compile(this.#rulesOf(groups));
    if (machine) this.#machinesOfGroups.set(groups.join('\n'), machine);
    this.#machines.set(language, machine);
    return machine;
  }

  #compile(rules: readonly TranslatedRule[]): Machine | null {
    if (rules.length === 0) return null;
    const patterns = rules.map(({ before, after }) => `(?:${before})${here}(?:${after})`);
    return { set: compileSet(patterns, limits.memory), breaks: rules.map(({ breaks }) => breaks) };
  }
}

const nameOfMap = (pattern: string) => `the language pattern ${JSON.stringify(pattern.slice(0, 100))}`;

function translateRule(rule: SrxRule): TranslatedRule {
  const what = `rule ${rule.number}`;
  const [before, after] = [translate(rule.before, what), translate(rule.after, what)];
  for (const pattern of [before, after]) requireSmall([pattern], what);
  return { ...rule, before, after, weight: weightOfPattern(before) + weightOfPattern(after) };
}

/** Returns the result of `read`, whose errors become those of the file. @throws {SrxError} */
function withReason<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof XmlFileError || error instanceof PatternError) throw new SrxError(error.message);
    throw error;
  }
}

const wordCharacter = /[\p{L}\p{M}\p{N}]/u;

function canBreak(text: string, at: number): boolean {
  const before = text[at - 1] as string;
  const after = text[at] as string;
  if (wordCharacter.test(before))
    return !wordCharacter.test(after) && !(after === ' ' && /\p{Ll}/u.test(text[at + 1] ?? ''));
  return !(before === ' ' && /\p{Ll}/u.test(after) && wordCharacter.test(text[at - 2] ?? ''));
}

/** The classes of ICU regular expressions, which SRX uses. Those of the engine have only ASCII characters. */
const classes: Record<string, string> = {
  s: '\\t\\n\\v\\f\\r\\x{85}\\p{Z}',
  d: '\\p{Nd}',
  w: '\\p{L}\\p{M}\\p{Nd}\\p{Pc}',
  h: '\\t\\p{Zs}',
};

/** The start of a word. In the engine, only ASCII letters are parts of words. */
const wordStart = '(?:^|[^\\p{L}\\p{M}\\p{Nd}\\p{Pc}])';

/** Rewrites a pattern for the engine if its syntax or meaning differs from that of ICU. */
function translate(pattern: string, what: string): string {
  const token = /\\Q[\s\S]*?(?:\\E|$)|\\u([0-9a-fA-F]{4})|\\[pPx]\{[^}]*\}|\\[\s\S]|\[:\^?\w+:\]|&&|[\s\S]/gu;
  let inClass = false;
  let start = true;
  let result = '';
  for (const [text, code] of pattern.matchAll(token)) {
    const name = text.length === 2 && text[0] === '\\' ? (text[1] as string) : '';
    const lower = classes[name.toLowerCase()];
    if (inClass && (text === '[' || text === '&&'))
      throw new SrxError(`${what}: sets in sets are not supported; write one set without ${text}`);
    if (code !== undefined) result += `\\x{${code}}`;
    else if (lower !== undefined && name === name.toLowerCase()) result += inClass ? lower : `[${lower}]`;
    else if (lower !== undefined) {
      if (inClass) throw new SrxError(`${what}: ${text} is not supported in a set`);
      result += `[^${lower}]`;
    } else if (text === '\\b' && start && !inClass) result += wordStart;
    else result += text;
    if (text === '[') inClass = true;
    else if (text === ']') inClass = false;
    start = (start && text === '\\b') || /^[(|]$/.test(text) || (start && /^[?:]$/.test(text));
  }
  return result;
}
