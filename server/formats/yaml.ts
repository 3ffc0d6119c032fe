import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parse,
  parseAllDocuments,
  Scalar,
  type YAMLMap,
} from 'yaml';
import { canonicalLanguage } from '#server/languages.ts';
import { FileError } from './file-error.ts';
import { type KeyPath, rootPath, withIndex, withKey } from './messages/key-path.ts';
import { pluralCategories } from './messages/plural-forms.ts';
import { type PluralEntry, placesOfStrings, type StringEntry } from './messages/strings.ts';
import type { Edit } from './office/splice.ts';
import { type TextOptions, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';

/**
 * YAML files with the texts of a program, such as those of Ruby on Rails. Comments, anchors, keys and the style of each
 * string stay. Plural forms are maps of categories (`one`, `other`). If the root has one key, which is a language code,
 * the key becomes the target language.
 *
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild, texts } = textFormat(findStrings);

/** Deeper nesting is rejected: the parser is recursive. */
const maxDepth = 200;

function findStrings(text: string, { targetLanguage, kept }: TextOptions): TextPlaces {
  const lines = new LineCounter();
  const documents = parseDocuments(text, lines);
  const reader = new Reader(text, lines);
  const always: Edit[] = [];
  for (const { contents } of documents) {
    if (!contents) continue;
    const root = languageKeyOf(contents);
    if (root && targetLanguage) {
      const [start, end] = root.range!;
      always.push({ start, end, text: scalarText(root, targetLanguage, '') });
    }
    reader.root = root ? 1 : 0;
    reader.read(contents, rootPath, undefined, 0);
  }
  const found = placesOfStrings(reader.entries, { targetLanguage, kept });
  return { ...found, characters: reader.characters, always: [...found.always, ...always] };
}

function parseDocuments(text: string, lines: LineCounter): Document.Parsed[] {
  let documents: Document.Parsed[];
  try {
    const parsed = parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent', uniqueKeys: false });
    documents = 'empty' in parsed ? [] : parsed;
  } catch (error) {
    throw new FileError('unreadable', 'the file is nested too deeply', { cause: error });
  }
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error) {
    const line = lines.linePos(error.pos[0]).line;
    const message = error.message.replace(/ at line \d+, column \d+:[\s\S]*$/, '');
    throw new FileError('unreadable', `the file is not valid YAML: line ${line}: ${message}`);
  }
  return documents;
}

/** Returns the only key of the root, if it is a language code. */
function languageKeyOf(root: Node): Scalar | undefined {
  if (!isMap(root) || root.items.length !== 1) return undefined;
  const { key } = root.items[0]!;
  return isScalar(key) && typeof key.value === 'string' && canonicalLanguage(key.value.replace('_', '-'))
    ? key
    : undefined;
}

class Reader {
  readonly entries: (StringEntry | PluralEntry)[] = [];
  /** Visible characters of all strings. */
  characters = 0;
  /** The number of keys before those of the strings: 1 if the root is a language. */
  root = 0;
  readonly #text: string;
  readonly #lines: LineCounter;

  constructor(text: string, lines: LineCounter) {
    this.#text = text;
    this.#lines = lines;
  }

  read(node: unknown, path: KeyPath, comment: string | undefined, depth: number): void {
    if (depth > maxDepth) throw new FileError('unreadable', 'the file is nested too deeply');
    if (isScalar(node)) {
      if (typeof node.value === 'string' && node.range) this.entries.push(this.#entry(node, path, comment));
    } else if (isSeq(node))
      for (const [index, item] of node.items.entries())
        this.read(item, withIndex(path, index, node.items.length), undefined, depth + 1);
    else if (isMap(node)) {
      if (path.keys.length > 0 && isPlural(node)) this.#addForms(node, path, comment);
      else
        for (const { key, value } of node.items) {
          const name = isScalar(key) ? String(key.value) : '';
          const about = isScalar(key) ? key.commentBefore?.trim() : undefined;
          this.read(value, withKey(path, name), about, depth + 1);
        }
    }
  }

  #entry(node: Scalar, path: KeyPath, comment: string | undefined): StringEntry {
    const text = node.value as string;
    const [start, end] = node.range!;
    this.characters += countCharacters(text);
    return {
      key: path.keys.join('.'),
      name: path.names.slice(this.root).join('.'),
      text,
      line: this.#lines.linePos(start).line,
      comment,
      ...(node.type === Scalar.PLAIN && symbol.test(text) && { keep: 'identifier' }),
      write: (translation) => ({
        start,
        end,
        text: scalarText(node, translation, this.#text.slice(start, end)),
      }),
    };
  }

  #addForms(map: YAMLMap, path: KeyPath, comment: string | undefined): void {
    const members = map.items as Pair<Scalar, Scalar>[];
    const names = path.names.slice(this.root);
    const forms = new Map(
      members.map(({ key, value }) => [String(key.value), this.#entry(value!, path, comment)] as const),
    );
    this.entries.push({
      key: path.keys.join('.'),
      type: 'cardinal',
      forms,
      nameOf: (category) => [...names, category].join('.'),
      write: (texts: ReadonlyMap<string, string>) => this.#writeForms(map, members, forms, texts),
    });
  }

  /** Changes the forms that exist, removes those that the language does not have, and inserts the others. */
  #writeForms(
    { flow }: YAMLMap,
    members: readonly Pair<Scalar, Scalar>[],
    forms: ReadonlyMap<string, StringEntry>,
    texts: ReadonlyMap<string, string>,
  ): Edit[] {
    const edits = [...texts].flatMap(([category, text]) => forms.get(category)?.write(text) ?? []);
    const stay = members.filter(({ key }) => texts.has(String(key.value)));
    for (const [at, { key, value }] of members.entries()) {
      if (texts.has(String(key.value))) continue;
      const next = members[at + 1];
      const start = key.range![0];
      edits.push(
        next
          ? { start, end: next.key.range![0], text: '' }
          : { start: members[at - 1]!.value!.range![1], end: value!.range![1], text: '' },
      );
    }
    const last = stay.at(-1)!;
    const end = last.value!.range![1];
    const keyStart = last.key.range![0];
    const indent = this.#text.slice(this.#text.lastIndexOf('\n', keyStart - 1) + 1, keyStart);
    const isBlock = last.value!.type === Scalar.BLOCK_LITERAL || last.value!.type === Scalar.BLOCK_FOLDED;
    const lineEnd = this.#text.includes('\r\n') ? '\r\n' : '\n';
    const added = [...texts]
      .filter(([category]) => !forms.has(category))
      .map(([category, text]) => `${category}: ${scalarText(last.value!, text, '')}`);
    if (added.length === 0) return edits;
    const text = flow
      ? `, ${added.join(', ')}`
      : added.map((line) => (isBlock ? `${indent}${line}${lineEnd}` : `${lineEnd}${indent}${line}`)).join('');
    edits.push({ start: end, end, text });
    return edits;
  }
}

/** A symbol of Ruby, such as `:year`. */
const symbol = /^:[a-z_]\w*[?!]?$/i;

/** Whether the keys of a map are plural categories with strings, one of them `other`. */
function isPlural(map: YAMLMap): boolean {
  return (
    map.items.length > 1 &&
    map.items.every(
      ({ key, value }) =>
        isScalar(key) &&
        isScalar(value) &&
        typeof value.value === 'string' &&
        (pluralCategories as readonly unknown[]).includes(key.value),
    ) &&
    map.items.some(({ key }) => (key as Scalar).value === 'other') &&
    new Set(map.items.map(({ key }) => (key as Scalar).value)).size === map.items.length
  );
}

/**
 * Writes a string in the style of a scalar, or in double quotes if it cannot be written in this style.
 *
 * @param written the scalar as it is in the file; empty for a new one
 */
function scalarText({ type }: Scalar, text: string, written: string): string {
  const isBlock = type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
  if (isBlock && written !== '') {
    const block = blockText(written, text, type === Scalar.BLOCK_FOLDED);
    if (readsAs(`k: ${block}`, text)) return block;
    return `${JSON.stringify(text)}${/\r?\n$/.exec(written)?.[0] ?? ''}`;
  }
  if (type === Scalar.PLAIN && isPlain(text)) return text;
  const single = `'${text.replaceAll("'", "''")}'`;
  if (type === Scalar.QUOTE_SINGLE && !text.includes('\n') && readsAs(`k: ${single}`, text)) return single;
  return JSON.stringify(text);
}

/** Whether a text without quotes is read as the same string, in a block as well as in brackets. PyYAML rejects `=`. */
function isPlain(text: string): boolean {
  return !text.includes('\n') && text !== '=' && readsAs(`k: ${text}`, text) && readsAs(`[${text}]`, text);
}

/** Whether YAML 1.2 and YAML 1.1, which Ruby and PyYAML read, both read a text. In 1.1, `No` and `2024-05-01` have other types. */
function readsAs(yaml: string, text: string): boolean {
  return (['1.2', '1.1'] as const).every((version) => {
    try {
      const value: unknown = parse(yaml, { logLevel: 'error', version });
      return (Array.isArray(value) && value.length === 1 ? value[0] : (value as { k: unknown }).k) === text;
    } catch {
      return false;
    }
  });
}

/** Writes a block scalar with the header and the indentation of another one. */
function blockText(written: string, text: string, isFolded: boolean): string {
  const [header] = /^[^\n]*\n/.exec(written) ?? [`${written.trimEnd()}\n`];
  const lines = written.slice(header.length).split('\n');
  const indent =
    lines.map((line) => /^ *(?=\S)/.exec(line)?.[0]).find((space) => space !== undefined) ?? '  ';
  const lineEnd = header.endsWith('\r\n') ? '\r\n' : '\n';
  const parts = text.replace(/\n+$/, '').split('\n');
  const end = /-/.test(header) ? lineEnd : /\n*$/.exec(text)![0].replaceAll('\n', lineEnd) || lineEnd;
  const joined = parts
    .map((part) => (part === '' ? '' : indent + part))
    .join(isFolded ? lineEnd + lineEnd : lineEnd);
  return `${header}${joined}${end}`;
}
