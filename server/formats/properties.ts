import { withoutIntervals } from './messages/bars.ts';
import { hasIcuChoice } from './messages/icu.ts';
import { areDoubled, hasQuoting, withoutQuotes } from './messages/quoting.ts';
import { placesOfStrings, type StringEntry } from './messages/strings.ts';
import {
  lineCounter,
  markOf,
  openTextFile,
  requireNoNul,
  type TextFile,
  type TextOptions,
  type TextPlaces,
  textFormat,
} from './text-file.ts';
import { countCharacters } from './text-tally.ts';

/**
 * Java `.properties` files, in UTF-8, in UTF-16 with a byte order mark or, if they are neither, in ISO 8859-1. Characters outside of ASCII are
 * written as `\u00e9` unless the file has such characters in UTF-8. In a value with an argument of MessageFormat
 * (`{0}`), two apostrophes stand for one.
 *
 * @throws {FileError} `not_text`
 */
export const { check, extract, rebuild, texts } = textFormat(findStrings, openProperties);

function openProperties(bytes: Uint8Array): TextFile {
  if (markOf(bytes).mark.length > 0) return openTextFile(bytes);
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Every character is escaped that is not ASCII, so what is written has one byte for each character.
    const text = Buffer.from(bytes).toString('latin1');
    requireNoNul(text);
    return { text, encode: (changed) => Buffer.from(changed, 'latin1') };
  }
  return openTextFile(bytes);
}

/** A property: key, separator, and a value that may continue on further lines. Comments are matched first. */
const property =
  /^[ \t\f]*(?:[#!](.*)|((?:[^\\\s:=]|\\(?:\r\n|[\s\S]))+)([ \t\f]*[:=]?[ \t\f]*)((?:[^\\\r\n]|\\(?:\r\n|[\s\S]))*))/gm;

function findStrings(file: string, { sourceLanguage, targetLanguage, kept }: TextOptions): TextPlaces {
  const lineOf = lineCounter(file);
  const entries: StringEntry[] = [];
  let characters = 0;
  let comments: string[] = [];
  let end = 0;
  const encode = encoderFor(file);
  for (const match of file.matchAll(property)) {
    const [all, comment, key, , written = ''] = match;
    // A blank line ends the comments of a property.
    if (/\n\s*\n/.test(file.slice(end, match.index))) comments = [];
    end = match.index + all.length;
    if (comment !== undefined) {
      if (comment.trim() !== '') comments.push(comment.trim());
      continue;
    }
    const start = end - written.length;
    const text = decodeValue(written);
    characters += countCharacters(text);
    entries.push({
      key: decodeValue(key!),
      text,
      line: lineOf(start),
      comment: comments.join(' '),
      write: (translation) => ({
        start,
        end: start + written.length,
        text: encode(translation),
      }),
    });
    comments = [];
  }
  const values = entries.map(({ text }) => text);
  const areTwice = areDoubled(values.filter((value) => !argument.test(value)));
  const strings = entries.map((entry) => ({ ...entry, ...quotingOf(entry.text, values, areTwice) }));
  const found = placesOfStrings(strings, {
    ...{ sourceLanguage, targetLanguage, kept },
    areMessages: values.some(hasIcuChoice),
    bars: { sourceLanguage, needsCount: true },
    quoting: values.some((value) => value.includes("''")) ? 'doubled' : 'optional',
  });
  return { ...found, characters };
}

const argument = /\{\d+[,}]/;

/**
 * Returns how a value is read, if MessageFormat reads it. A single apostrophe shows that the program does not use it. It reads
 * a value without arguments if other such values have their apostrophes twice.
 */
function quotingOf(text: string, values: readonly string[], areTwice: boolean): Pick<StringEntry, 'quoting'> {
  const rest = withoutQuotes(text, values);
  const isMessage = argument.test(withoutIntervals(text)) || hasQuoting(text) || areTwice;
  return isMessage && !rest.includes("'") && !hasIcuChoice(text) ? { quoting: 'doubled' } : {};
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f' };

function decodeValue(written: string): string {
  return written.replaceAll(
    /\\(?:u([0-9a-f]{4})|(\r\n|\r|\n)[ \t\f]*|([\s\S]))/gi,
    (_, unit: string | undefined, lineEnd: string | undefined, character: string) => {
      if (unit) return String.fromCharCode(Number.parseInt(unit, 16));
      return lineEnd ? '' : (escapes[character] ?? character);
    },
  );
}

/** Returns a function that writes values as the file does: with letters, or with escapes only. */
function encoderFor(text: string): (value: string) => string {
  const hasLetters = /[^\p{ASCII}\u0080-\u00ff]/u.test(text) && !/\\u[0-9a-f]{4}/i.test(text);
  const names = Object.entries(escapes);
  return (value) =>
    value
      .replaceAll('\\', '\\\\')
      .replaceAll(/[\n\t\r\f]/g, (character) => `\\${names.find(([, one]) => one === character)![0]}`)
      .replace(/^ +/, (spaces) => '\\ '.repeat(spaces.length))
      .replaceAll(hasLetters ? /\p{Cc}/gu : /[^ -~]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
