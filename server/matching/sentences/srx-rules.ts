import { setImmediate } from 'node:timers/promises';
import { RE2JS, RE2Set } from 're2js';
import { readSrx, type Srx, type SrxRule, XmlFileError } from '#server/formats/srx.ts';

/** The reason why an SRX file cannot be used. The message is for the sender of the file. */
export class SrxError extends Error {
  override name = 'SrxError';
}

/** Characters before and after a position that a rule can read. */
const reach = { before: 100, after: 50 };

/**
 * Limits of the rules of one language: their number, the instructions of their patterns, and bytes of their state machine.
 * It is compiled at once, when the first text of the language arrives: in 0.4 ms for each rule.
 */
const limits = { rules: 300, instructions: 10_000, memory: 4 << 20 };

/**
 * Milliseconds that rules may take for each character, which is four times what 300 usual rules take, and what they may take
 * beyond that: so much at once, and so much for each second. A workspace with slow rules must not hold up the others, also
 * not with many short texts.
 */
const patience = { character: 0.002, spare: 300, spareOfSecond: 20 };

/** Milliseconds after which other requests run while a file is checked. */
const slice = 4;

/** Stands between the text before and the text after a position. No text contains this noncharacter. */
const here = '\uffff';

/** The rules for one language, as one state machine. */
interface Machine {
  set: RE2Set;
  /** Whether each rule is a break. */
  breaks: boolean[];
}

/**
 * The rules of an SRX file, compiled. The patterns come from a tenant, so an engine runs them whose time is linear in
 * the text, whatever the patterns are.
 */
export class SegmentationRules {
  readonly #srx: Srx;
  readonly #machines = new Map<string, Machine>();
  /** The milliseconds that the rules may take beyond the usual time, and when this number was computed. */
  #spare = patience.spare;
  #sparedAt = performance.now();

  /**
   * @param bytes an SRX 2.0 file that was checked
   * @throws {SrxError} if the file cannot be read
   */
  constructor(bytes: Uint8Array) {
    try {
      this.#srx = readSrx(bytes);
    } catch (error) {
      throw error instanceof XmlFileError ? new SrxError(error.message) : error;
    }
  }

  /**
   * Reads a file and checks all its patterns. Lets other requests run in between.
   * @param languages the codes of the languages whose rules are counted
   * @throws {SrxError} if the file cannot be read, has too many rules or a pattern that is not supported
   */
  static async checked(bytes: Uint8Array, languages: readonly string[]): Promise<SegmentationRules> {
    const checked = new SegmentationRules(bytes);
    const { maps, groups } = checked.#srx;
    for (const { pattern } of maps) compile(pattern, `the language pattern ${JSON.stringify(pattern)}`);
    const sizes = new Map<SrxRule, number>();
    let begun = performance.now();
    for (const rule of [...groups.values()].flat()) {
      const what = `rule ${rule.number}`;
      const patterns = [rule.before, rule.after].map((pattern) => compile(translate(pattern, what), what));
      sizes.set(
        rule,
        patterns.reduce((sum, pattern) => sum + pattern.programSize(), 0),
      );
      if (performance.now() - begun < slice) continue;
      await setImmediate();
      begun = performance.now();
    }
    for (const language of languages) {
      const { rules } = checked.#rulesOf(language);
      if (rules.length > limits.rules)
        throw new SrxError(
          `the file has ${rules.length} rules for ${language}; at most ${limits.rules} are allowed`,
        );
      if (rules.reduce((sum, rule) => sum + sizes.get(rule)!, 0) > limits.instructions)
        throw new SrxError(`the patterns for ${language} are too large`);
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

  #rulesOf(language: string): { key: string; rules: SrxRule[] } {
    const { maps, cascade, groups } = this.#srx;
    const names = maps.filter(({ pattern }) => RE2JS.matches(pattern, language)).map(({ group }) => group);
    const chosen = [...new Set(cascade ? names : names.slice(0, 1))];
    return { key: chosen.join('\n'), rules: chosen.flatMap((name) => groups.get(name) ?? []) };
  }

  #machineOf(language: string): Machine | undefined {
    const { key, rules } = this.#rulesOf(language);
    if (rules.length === 0) return undefined;
    const known = this.#machines.get(key);
    if (known) return known;
    const set = new RE2Set(RE2Set.UNANCHORED, 0, limits.memory);
    for (const { before, after, number } of rules) {
      const what = `rule ${number}`;
      set.add(`(?:${translate(before, what)})${here}(?:${translate(after, what)})`);
    }
    set.compile();
    const machine = { set, breaks: rules.map(({ breaks }) => breaks) };
    this.#machines.set(key, machine);
    return machine;
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

function compile(pattern: string, what: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (/\(\?<?[=!]/.test(pattern))
      throw new SrxError(`${what}: conditions such as (?=…) and (?<=…) are not supported`);
    throw new SrxError(
      `${what}: ${(error as Error).message.replace('error parsing regexp: ', '').slice(0, 200)}`,
    );
  }
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
