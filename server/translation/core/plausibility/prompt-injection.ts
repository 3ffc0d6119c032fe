import { orders, plainOrders } from './prompt-injection-phrases.ts';
import { isInsideWord } from './script.ts';

/** Maximum distance between an instruction's verb and its object, in UTF-16 units. */
const reach = 48;

/** A text with more instruction verbs than this counts as a prompt injection without further checks. */
const maxVerbs = 2000;

/**
 * Whether `text` looks like a prompt injection: it asks a model to ignore its instructions, to play a role, to reply
 * with given words or to give a score, or it imitates part of a prompt.
 */
export function isInstructionLike(text: string): boolean {
  const said = text.toLowerCase().replace(/[’ʼ]/g, "'").replace(/\s+/g, ' ');
  let verbs = 0;
  for (const { value: object, start, end } of matches(said)) {
    if (object === undefined || ++verbs > maxVerbs) return true;
    // In the same sentence, the object follows its verb or, as in Japanese, precedes it.
    const after = said.slice(end, end + reach).split(sentenceEnd, 1)[0]!;
    const before = said
      .slice(Math.max(0, start - reach), start)
      .split(sentenceEnd)
      .at(-1)!;
    if (object.test(after) || object.test(before)) return true;
  }
  return false;
}

const sentenceEnd = /[.!?।]\s|[。！？]/;

/** Each verb with the pattern of its object; undefined for phrases that need no object. */
const matches = keyedPatterns<RegExp | undefined>([
  ...plainOrders.map((source) => [source, undefined] as const),
  ...orders.flatMap(({ verbs, objects }) => {
    const object = new RegExp(objects, 'u');
    return verbs.split('|').map((verb) => [verb, object] as const);
  }),
]);

/** A pattern with the value that a match returns. */
interface Keyed<T> {
  pattern: RegExp;
  value: T;
}

/**
 * Finds many patterns in one pass over a text. A pattern is tried only where its first two characters occur; in scripts
 * with spaces, only at the start of a word. So the cost hardly depends on the number of patterns.
 *
 * @param sources regular expressions (flags `uy`) that begin with two plain characters
 */
function keyedPatterns<T>(sources: Iterable<readonly [source: string, value: T]>) {
  const byKey = new Map<number, Keyed<T>[]>();
  for (const [source, value] of sources) {
    const key = keyAt(source.replaceAll('\\', ''), 0);
    byKey.set(key, [...(byKey.get(key) ?? []), { pattern: new RegExp(source, 'uy'), value }]);
  }
  return function* matches(text: string): Generator<{ value: T; start: number; end: number }> {
    for (let at = 0; at + 1 < text.length; at++) {
      const candidates = byKey.get(keyAt(text, at));
      if (!candidates || isInsideWord(text, at)) continue;
      for (const { pattern, value } of candidates) {
        pattern.lastIndex = at;
        if (pattern.test(text)) yield { value, start: at, end: pattern.lastIndex };
      }
    }
  };
}

function keyAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x1_0000 + text.charCodeAt(at + 1);
}
