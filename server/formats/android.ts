import { FileError } from './file-error.ts';
import type { FormatKind } from './inline-content.ts';
import { areForms, type FormItem, writeForms } from './messages/form-items.ts';
import { InlineCodes, withoutMarks } from './messages/inline-codes.ts';
import { type PluralEntry, placesOfStrings, type StringEntry } from './messages/strings.ts';
import { escapeXmlText, spliceRange } from './office/splice.ts';
import { type TextOptions, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';
import {
  contentEdit,
  elementsWithComments,
  encodingEdits,
  isCdataOnly,
  parseXmlNodes,
  textIn,
  writeCdata,
  type XmlElement,
  type XmlNode,
} from './xml/xml-nodes.ts';

/*
 * The characters of Android's string resources. A text in double quotes keeps its white space; elsewhere, white space is
 * collapsed. A backslash starts an escape.
 */

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

/**
 * Decodes the texts of a string.
 *
 * @param pieces texts, and marks of codes between them, which stay
 */
export function decodeAndroid(pieces: readonly { text: string; isCode: boolean }[]): string {
  let decoded = '';
  let isQuoted = false;
  /** Whether white space that is not written yet stands before the next character. It is dropped at both ends. */
  let hasSpace = false;
  const append = (text: string) => {
    if (hasSpace) decoded += ' ';
    hasSpace = false;
    decoded += text;
  };
  let isStart = true;
  for (const { text, isCode } of pieces) {
    if (isCode) {
      append(text);
      isStart = false;
      continue;
    }
    for (const [token] of text.matchAll(/\\u[0-9a-f]{4}|\\[\s\S]|[ \t\n\r]+|"|\\|[^\\" \t\n\r]+/gi)) {
      if (token === '"') {
        isQuoted = !isQuoted;
        isStart = false;
      } else if (token === '\\') continue;
      else if (token[0] === '\\') append(unescaped(token));
      else if (!isQuoted && /^[ \t\n\r]/.test(token)) {
        hasSpace = !isStart;
        continue;
      } else append(token);
      isStart = false;
    }
  }
  return decoded;
}

function unescaped(written: string): string {
  if (written.length > 2) return String.fromCharCode(Number.parseInt(written.slice(2), 16));
  return escapes[written[1]!] ?? written[1]!;
}

/** Whether the whole value is in double quotes. */
function isQuotedAndroid(raw: string): boolean {
  const trimmed = raw.trim();
  const inner = trimmed.slice(1, -1).replace(/\\[\s\S]/g, '');
  return trimmed.length > 1 && trimmed.startsWith('"') && trimmed.endsWith('"') && !/["\\]/.test(inner);
}

const escaped: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\\': '\\\\',
  '"': '\\"',
  "'": "\\'",
};

/**
 * Encodes a text, without the quotes around a quoted value. Spaces that Android would collapse, and characters that XML
 * cannot contain, become escapes.
 */
export function encodeAndroid(text: string, isQuoted: boolean): string {
  const written = text.replace(/[\n\t\\"']/g, (character) =>
    isQuoted && character === "'" ? character : escaped[character]!,
  );
  const spaced = isQuoted ? written : written.replace(/^ | $|(?<= ) /g, '\\u0020').replace(/^[@?]/, '\\$&');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 does not allow.
  return spaced.replace(/[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]/g, codeOf).replace(/\p{Surrogate}/gu, codeOf);
}

const codeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Gives a target the line breaks around the tags of its source, which Android collapses, if it has the same tags. */
function withLineBreaks(source: string, target: string): string {
  const tagsIn = (text: string) => Array.from(text.matchAll(/(?<!\s)(\s*)(<\/?[a-z][^<>]*>)(\s*)/gi));
  const [own, found] = [tagsIn(source), tagsIn(target)];
  const namesOf = (tags: typeof own) => tags.map(([, , tag = '']) => tag.split(/\b\W/, 1)).join();
  if (namesOf(own) !== namesOf(found)) return target;
  const tags = found.map(({ index: start, 0: all, 1: before, 2: tag, 3: after }, at) => {
    const [, lead = '', , trail = ''] = own[at]!;
    const end = start + all.length;
    const first = lead.includes('\n') && (before || start === 0) ? lead : before;
    const last = trail.includes('\n') && (after || end === target.length) ? trail : after;
    return { start, end, text: `${first}${tag}${last}` };
  });
  return spliceRange(target, 0, target.length, tags);
}

/**
 * String resources of Android: the strings, arrays and plurals of a `strings.xml`. Elements in a text are tags. An
 * `<xliff:g>` is one tag, because its content must stay.
 *
 * @throws {FileError} `not_text` or `unreadable`, also for other XML
 */
export const { check, extract, rebuild } = textFormat(findStrings);

function findStrings(text: string, { sourceLanguage, targetLanguage }: TextOptions): TextPlaces {
  const root = parseXmlNodes(text);
  if (root.name !== 'resources')
    throw new FileError(
      'unreadable',
      `the root element of the XML is <${root.name.slice(0, 40)}>; only Android string resources are supported, whose root element is <resources>`,
    );
  const reader = new Reader(text);
  reader.readResources(root);
  const found = placesOfStrings(reader.entries, { sourceLanguage, targetLanguage });
  const { places, kept } = reader.codes.tagged(found);
  const locale = root.attributes.get('tools:locale');
  return {
    places,
    kept: [...kept, ...reader.kept],
    characters: reader.characters,
    always: [
      ...encodingEdits(text),
      ...found.always,
      ...(locale && targetLanguage
        ? [{ start: locale.start, end: locale.end, text: `tools:locale="${targetLanguage}"` }]
        : []),
    ],
  };
}

/** The formatting of elements that only format. Other elements, such as `<a>`, have a meaning. */
const formats: Readonly<Record<string, FormatKind>> = {
  b: 'bold',
  big: 'other',
  em: 'italic',
  font: 'other',
  i: 'italic',
  s: 'strike',
  small: 'other',
  strike: 'strike',
  strong: 'bold',
  sub: 'subscript',
  sup: 'superscript',
  tt: 'other',
  u: 'underline',
};

class Reader {
  readonly codes = new InlineCodes();
  readonly entries: (StringEntry | PluralEntry)[] = [];
  readonly kept: { reason: string; text: string }[] = [];
  /** Visible characters of all strings. */
  characters = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  readResources(root: XmlElement): void {
    for (const { element, comment } of elementsWithComments(root)) {
      const key = element.attributes.get('name')?.value ?? '';
      const isString = element.name === 'string' || element.attributes.get('type')?.value === 'string';
      if (element.attributes.get('translatable')?.value === 'false') this.#keep(element);
      else if (isString) this.#add(element, key, comment);
      else if (element.name === 'string-array' || element.name === 'array')
        for (const [index, item] of elementsWithComments(element).entries())
          this.#add(item.element, `${key}[${index}]`, item.comment ?? comment);
      else if (element.name === 'plurals') this.#addPlurals(element, key, comment);
    }
  }

  #keep(element: XmlElement): void {
    const text = textIn(element);
    this.characters += countCharacters(text);
    this.kept.push({ reason: 'not_translatable', text });
  }

  #add(element: XmlElement, key: string, comment: string | undefined): void {
    const entry = this.#entry(element, key, comment);
    // A reference to another resource or to an attribute of the theme.
    const isReference = /^[@?](?:\+?[\w.]+:)?[\w.]+(?:\/[\w.]+)?$/.test(textIn(element).trim());
    if (isReference) this.kept.push({ reason: 'identifier', text: entry.text });
    else this.entries.push(entry);
  }

  #entry(element: XmlElement, key: string, comment: string | undefined): StringEntry {
    const { innerStart, innerEnd } = element;
    const raw = this.#text.slice(innerStart, innerEnd);
    const start = innerStart + raw.length - raw.trimStart().length;
    const end = Math.max(start, innerEnd - (raw.length - raw.trimEnd().length));
    const text = decodeAndroid(this.#piecesOf(element.children));
    this.characters += countCharacters(this.codes.plain(text));
    const isCdata = isCdataOnly(element);
    const isQuoted = isQuotedAndroid(raw);
    return {
      key,
      text,
      line: element.line,
      comment,
      write: (translation) => {
        const escapeXml = isCdata ? (piece: string) => piece : escapeXmlText;
        const body = this.codes.write(encodeAndroid(translation, isQuoted), escapeXml);
        const quoted = isQuoted ? `"${body}"` : body;
        const written = isCdata ? writeCdata(isQuoted ? quoted : withLineBreaks(raw, quoted)) : quoted;
        return element.isSelfClosing ? contentEdit(element, written) : { start, end, text: written };
      },
    };
  }

  /** Returns the texts of a string, and marks for its elements. */
  #piecesOf(nodes: readonly XmlNode[]): { text: string; isCode: boolean }[] {
    return nodes.flatMap((node) => {
      if (node.kind === 'text') return { text: withoutMarks(node.text), isCode: false };
      const code = (text: string) => ({ text, isCode: true });
      if (node.kind !== 'element' || node.isSelfClosing || /(?:^|:)g$/.test(node.name)) {
        const inner =
          node.kind !== 'element'
            ? ''
            : node.name === 'br'
              ? '\n'
              : this.codes.plain(decodeAndroid(this.#piecesOf(node.children)));
        const written = this.#text.slice(node.start, node.end);
        return code(this.codes.add({ type: 'void', written, text: inner }));
      }
      const format = formats[node.name];
      const opening = this.codes.add({
        type: 'open',
        written: this.#text.slice(node.start, node.innerStart),
        format,
      });
      const written = this.#text.slice(node.innerEnd, node.end);
      const closing = this.codes.add({ type: 'close', written, format, opening });
      return [code(opening), ...this.#piecesOf(node.children), code(closing)];
    });
  }

  #addPlurals(element: XmlElement, key: string, comment: string | undefined): void {
    const items = elementsWithComments(element).map((item): FormItem => {
      const quantity = item.element.attributes.get('quantity');
      const { start, end, innerStart } = item.element;
      const category = quantity?.value ?? '';
      const entry = this.#entry(item.element, `${key} ${category}`, item.comment ?? comment);
      return { category, entry, start, end, label: quantity ?? { start: innerStart, end: innerStart } };
    });
    if (!areForms(items.map(({ category }) => category)))
      this.entries.push(...items.map(({ entry }) => entry));
    else
      this.entries.push({
        key,
        type: 'cardinal',
        forms: new Map(items.map(({ category, entry }) => [category, entry])),
        write: (texts: ReadonlyMap<string, string>) =>
          writeForms(this.#text, items, texts, (category) => `quantity="${category}"`),
      });
  }
}
