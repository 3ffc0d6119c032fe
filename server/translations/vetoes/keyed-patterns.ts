import { scriptOf } from './script.ts';

/** A pattern, and what it stands for. */
interface Keyed<T> {
  pattern: RegExp;
  value: T;
}

/**
 * Finds many patterns in one walk over a text. Each is tried only where its first two characters stand, at the start of a
 * word if they are letters of a script with spaces: what it costs hardly depends on how many there are.
 *
 * @param sources regular expressions (flags `uy`) that begin with two plain characters
 */
export function keyedPatterns<T>(sources: Iterable<readonly [source: string, value: T]>) {
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

/** Whether the letter at `at` goes on with a word. Scripts without spaces have no words to be inside of. */
export function isInsideWord(text: string, at: number): boolean {
  const script = at > 0 ? scriptOf(text.charCodeAt(at)) : undefined;
  if (
    script === undefined ||
    script === 'Han' ||
    script === 'Kana' ||
    script === 'Hangul' ||
    script === 'Thai'
  )
    return false;
  return scriptOf(text.charCodeAt(at - 1)) === script;
}
