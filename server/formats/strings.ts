import { FileError } from './file-error.ts';
import { placesOfStrings, type StringEntry } from './messages/strings.ts';
import { lineAt, lineCounter, type TextOptions, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';

/**
 * Strings files of Apple's platforms: `"key" = "value";`. A comment is the context of the pair on its line, or else of the next pair.
 *
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild, texts } = textFormat(findStrings);

function findStrings(text: string, { sourceLanguage, targetLanguage, kept }: TextOptions): TextPlaces {
  const pairs = parseStrings(text);
  const entries = pairs.map(
    ({ key, value, line, comment, start, end }): StringEntry => ({
      key,
      text: value,
      line,
      comment,
      // A key alone is its own value.
      write: (translation) => ({
        start,
        end,
        text: `${start === end ? ' = ' : ''}${writeString(translation, text[start])}`,
      }),
    }),
  );
  return {
    ...placesOfStrings(entries, { sourceLanguage, targetLanguage, kept }),
    characters: pairs.reduce((sum, { value }) => sum + countCharacters(value), 0),
  };
}

/** A pair of a strings file. */
interface StringsPair {
  key: string;
  value: string;
  /** The number of the line of the key, from 1. */
  line: number;
  /** The comments before the pair, and after it on the same line. */
  comment: string | undefined;
  /** The offsets of the value with its quotes. For a key without a value, both are the end of the key. */
  start: number;
  end: number;
}

const space = /\s+/y;
const lineComment = /\/\/([^\n\r\u2028\u2029]*)/y;
const bareString = /[\w.$:/-]+/y;
/** The comments after a pair, up to the end of a line. */
const trailing = /(?:[ \t]*\/\*(?:(?!\*\/)[\s\S]){0,1000}\*\/)*[ \t]*(?:\/\/[^\r\n]*)?(?=[\r\n]|$)/y;

/**
 * Parses a strings file.
 *
 * @throws {FileError} `unreadable`
 */
function parseStrings(text: string): StringsPair[] {
  if (/^\s*<\?xml|^\s*<!DOCTYPE|^bplist/.test(text.slice(0, 1_000)))
    throw new FileError(
      'unreadable',
      'the file is a property list in XML or binary form; send it as pairs "key" = "value"; (plutil can convert it)',
    );
  const pairs: StringsPair[] = [];
  const lineOf = lineCounter(text);
  let at = 0;
  let notes: string[] = [];
  const problem = (what: string) => new FileError('unreadable', `line ${lineAt(text, at)}: ${what}`);
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const skip = (): void => {
    for (;;) {
      if (match(space)) continue;
      let note = match(lineComment)?.[1];
      if (note === undefined) {
        if (!text.startsWith('/*', at)) return;
        const end = text.indexOf('*/', at + 2);
        if (end < 0) throw problem('a comment has no end');
        note = text.slice(at + 2, end);
        at = end + 2;
      }
      notes.push(note.replace(/\s+/g, ' ').trim());
    }
  };
  const quoted = (quote: string): string => {
    const stop = quote === '"' ? /["\\]/g : /['\\]/g;
    stop.lastIndex = at + 1;
    for (let found = stop.exec(text); found; found = stop.exec(text)) {
      if (found[0] === '\\') stop.lastIndex++;
      else {
        const raw = text.slice(at + 1, found.index);
        at = stop.lastIndex;
        return decodeString(raw);
      }
    }
    throw problem('a string has no closing quote');
  };
  const string = (what: string): string => {
    const first = text[at];
    if (first === '"' || first === "'") return quoted(first);
    const found = match(bareString);
    if (found) return found[0];
    throw problem(`${what} is expected, as in "key" = "value";`);
  };
  for (skip(); at < text.length; skip()) {
    const line = lineOf(at);
    const before = notes;
    notes = [];
    const key = string('a key');
    const keyEnd = at;
    skip();
    let [value, start, end] = [key, keyEnd, keyEnd];
    if (text[at] === '=') {
      at++;
      skip();
      start = at;
      value = string('a value');
      end = at;
      skip();
    }
    if (text[at] !== ';') throw problem('";" is expected after a value');
    at++;
    // Comments inside the pair are those of no pair.
    notes = [];
    const after = (match(trailing)?.[0] ?? '').matchAll(/\/\*([\s\S]*?)\*\/|\/\/(.*)/g);
    for (const [, block, line] of after) before.push((block ?? line)!.replace(/\s+/g, ' ').trim());
    const comment = before.filter(Boolean).join(' ').slice(0, 1_000) || undefined;
    pairs.push({ key, value, line, comment, start, end });
  }
  return pairs;
}

const controls: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

function decodeString(raw: string): string {
  return raw.replace(/\\(?:[uU]([0-9a-fA-F]{4})|([0-7]{1,3})|([\s\S]))/g, (_, hex, octal, other) =>
    hex || octal
      ? String.fromCharCode(Number.parseInt(hex ?? octal, hex ? 16 : 8))
      : (controls[other] ?? other),
  );
}

/** Writes a value in the quotes of the previous value: double quotes, unless it has single ones. */
function writeString(text: string, before: string | undefined): string {
  const quote = before === "'" ? "'" : '"';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are escaped.
  const escaped = text.replace(/[\\"'\x00-\x1f\x7f]|\p{Surrogate}/gu, (character) => {
    if (character === '\\' || character === quote) return `\\${character}`;
    if (character === '"' || character === "'") return character;
    const name = ['n', 'r', 't'].find((one) => controls[one] === character);
    return name ? `\\${name}` : `\\U${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `${quote}${escaped}${quote}`;
}
