import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  Scalar,
  type YAMLMap,
} from 'yaml';
import { canonicalLanguage } from '#server/languages.ts';
import { FileError } from './file-error.ts';
import { type KeyPath, KeyWriter, rootPath, withIndex, withKey } from './messages/key-path.ts';
import { isTagOf, spelledLike } from './messages/language-tags.ts';
import { describingKeys, pluralCategories } from './messages/plural-forms.ts';
import { type PluralEntry, placesOfStrings, type StringEntry } from './messages/strings.ts';
import type { Edit } from './office/splice.ts';
import {
  lineEndOf,
  openTextFile,
  type TextFile,
  type TextOptions,
  type TextPlaces,
  textFormat,
} from './text-file.ts';
import { countCharacters } from './text-tally.ts';
import { scalarText } from './yaml/scalars.ts';

/**
 * YAML files with the texts of a program, such as those of Ruby on Rails. Comments, anchors, keys and the style of each
 * string stay. Plural forms are maps of categories (`one`, `other`). If the root has one key, which is a language code,
 * the key becomes the target language.
 *
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild, texts } = textFormat(findStrings, openYaml);

/** Opens a file. The parser does not read single carriage returns as line ends, which old programs write. */
function openYaml(bytes: Uint8Array): TextFile {
  const file = openTextFile(bytes);
  if (!file.text.includes('\r') || file.text.includes('\n')) return file;
  return {
    ...file,
    text: file.text.replaceAll('\r', '\n'),
    encode: (text) => file.encode(text.replaceAll('\n', '\r')),
  };
}

/** Deeper nesting is rejected: the parser is recursive. */
const maxDepth = 200;

function findStrings(text: string, { sourceLanguage, targetLanguage, kept }: TextOptions): TextPlaces {
  const lines = new LineCounter();
  const documents = parseDocuments(text, lines);
  const reader = new Reader(text, lines);
  const always: Edit[] = [];
  for (const { contents } of documents) {
    if (!contents) continue;
    const root = languageKeyOf(contents, [sourceLanguage, targetLanguage]);
    if (root && targetLanguage) {
      const [start, end] = root.range!;
      const language = spelledLike(String(root.value), targetLanguage);
      always.push({ start, end, text: scalarText(root, language, '') });
    }
    reader.root = root ? 1 : 0;
    reader.read(contents, rootPath, undefined, 0);
  }
  const found = placesOfStrings(reader.entries, {
    sourceLanguage,
    targetLanguage,
    kept,
    bars: { sourceLanguage },
  });
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
  if (error?.code === 'RESOURCE_EXHAUSTION')
    throw new FileError('unreadable', 'the file is nested too deeply', { cause: error });
  if (error) {
    const line = lines.linePos(error.pos[0]).line;
    const message = error.message.replace(/ at line \d+, column \d+:[\s\S]*$/, '');
    throw new FileError('unreadable', `the file is not valid YAML: line ${line}: ${message}`);
  }
  return documents;
}

/** Returns the only key of the root, if it is a language code, also with a region for one of `languages`. */
function languageKeyOf(root: Node, languages: readonly (string | undefined)[]): Scalar | undefined {
  if (!isMap(root) || root.items.length !== 1) return undefined;
  const { key } = root.items[0]!;
  if (!isScalar(key) || typeof key.value !== 'string') return undefined;
  const name = key.value;
  const isLanguage =
    canonicalLanguage(name.replace('_', '-')) || languages.some((language) => isTagOf(name, language));
  return isLanguage ? key : undefined;
}

class Reader {
  readonly entries: (StringEntry | PluralEntry)[] = [];
  /** Visible characters of all strings. */
  characters = 0;
  /** The number of keys before those of the strings: 1 if the root is a language. */
  root = 0;
  readonly #text: string;
  readonly #keys: KeyWriter;
  readonly #lines: LineCounter;

  constructor(text: string, lines: LineCounter) {
    this.#text = text;
    this.#keys = new KeyWriter(text);
    this.#lines = lines;
  }

  /** @param isNames whether all scalars in the node are names, as after `!GetAtt` */
  read(node: unknown, path: KeyPath, comment: string | undefined, depth: number, isNames = false): void {
    if (depth > maxDepth) throw new FileError('unreadable', 'the file is nested too deeply');
    if (isScalar(node)) {
      if (typeof node.value === 'string' && node.range)
        this.entries.push({ ...this.#entry(node, path, comment), ...(isNames && { keep: 'identifier' }) });
    } else if (isSeq(node)) {
      const areNames = isNames || /^!(?:reference|[A-Z]\w*)$/.test(node.tag ?? '');
      for (const [index, item] of node.items.entries())
        this.read(item, withIndex(path, index, node.items.length), undefined, depth + 1, areNames);
    } else if (isMap(node)) {
      const forms = path.keys.length > 0 ? pluralForms(node) : undefined;
      const about = commentOf(comment, forms && descriptionOf(node));
      if (forms?.length === 1) this.read(forms[0]!.value, withKey(path, 'other'), about, depth + 1);
      else if (forms) this.#addForms(node, forms, path, about);
      else
        for (const [index, { key, value }] of node.items.entries()) {
          const name = isScalar(key) ? String(key.value) : '';
          // The parser gives the comment before the first key to the map.
          const before = index === 0 && path.keys.length > 0 ? node.commentBefore : undefined;
          const own = isScalar(key) ? key.commentBefore : undefined;
          const after = isScalar(value) ? value.comment : undefined;
          this.read(value, withKey(path, name), commentOf(before, own, after), depth + 1);
        }
    }
  }

  #entry(node: Scalar, path: KeyPath, comment: string | undefined): StringEntry {
    const text = node.value as string;
    const [start, end] = node.range!;
    const { line } = this.#lines.linePos(start);
    this.characters += countCharacters(text);
    return {
      ...this.#keys.write({ keys: path.keys, names: path.names.slice(this.root) }, line),
      text,
      line,
      comment,
      ...((isCode(node) || (node.type === Scalar.PLAIN && symbol.test(text))) && { keep: 'identifier' }),
      write: (translation) => ({
        start,
        end,
        text: scalarText(node, translation, this.#text.slice(start, end)),
      }),
    };
  }

  #addForms(
    map: YAMLMap,
    members: readonly Pair<Scalar, Scalar>[],
    path: KeyPath,
    comment: string | undefined,
  ): void {
    const names = path.names.slice(this.root);
    const forms = new Map(
      members.map(({ key, value }) => [String(key.value), this.#entry(value!, path, comment)] as const),
    );
    this.entries.push({
      key: path.keys.join('.'),
      type: 'cardinal',
      forms,
      nameOf: (category) => [...names, category].join('.'),
      write: (texts: ReadonlyMap<string, string>) => this.#writeForms(map, forms, texts),
    });
  }

  /** Changes the forms that exist, removes those that the language does not have, and inserts the others. */
  #writeForms(
    { flow, items }: YAMLMap,
    forms: ReadonlyMap<string, StringEntry>,
    texts: ReadonlyMap<string, string>,
  ): Edit[] {
    const edits = [...texts].flatMap(([category, text]) => forms.get(category)?.write(text) ?? []);
    const members = items as Pair<Scalar, Scalar>[];
    const isForm = ({ key }: Pair<Scalar, Scalar>) => forms.has(String(key.value));
    const stays = (one: Pair<Scalar, Scalar>) => !isForm(one) || texts.has(String(one.key.value));
    const lastStaying = members.findLastIndex(stays);
    for (const [at, one] of members.slice(0, lastStaying).entries())
      if (!stays(one))
        edits.push({ start: one.key.range![0], end: members[at + 1]!.key.range![0], text: '' });
    if (lastStaying < members.length - 1)
      edits.push({
        start: members[lastStaying]!.value!.range![1],
        end: members.at(-1)!.value!.range![1],
        text: '',
      });
    const last = members.findLast((one) => isForm(one) && stays(one))!;
    const end = last.value!.range![1];
    const keyStart = last.key.range![0];
    const indent = this.#text.slice(this.#text.lastIndexOf('\n', keyStart - 1) + 1, keyStart);
    const isBlock = last.value!.type === Scalar.BLOCK_LITERAL || last.value!.type === Scalar.BLOCK_FOLDED;
    const lineEnd = lineEndOf(this.#text);
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

/** Tags of texts. Other tags of scalars, such as `!ruby/symbol`, `!Ref` and `!include`, stand before code. */
const textTag =
  /^(?:!|tag:yaml\.org,2002:str|!(?:ruby\/string|ruby\/object:\S*(?:SafeBuffer|String)|unsafe|text|html|markdown)\b.*)$/;

/** Whether a program reads a value by its tag. A list such as `!reference [job, script]` consists of names. */
function isCode({ tag }: Scalar): boolean {
  return tag !== undefined && !textTag.test(tag);
}

/** A symbol of Ruby, such as `:year`. */
const symbol = /^:[a-z_]\w*[?!]?$/i;

/** Joins the comments on a text. */
function commentOf(...comments: (string | null | undefined)[]): string | undefined {
  const said = comments.flatMap((one) => one?.trim() || []);
  return said.length === 0 ? undefined : said.join('; ');
}

function descriptionOf(map: YAMLMap): string | undefined {
  const { value } = map.items.find(({ key }) => isScalar(key) && key.value === 'description') ?? {};
  return isScalar(value) && typeof value.value === 'string' ? value.value : undefined;
}

/** Returns the forms of a map whose keys are plural categories with strings, one of them `other`. */
function pluralForms(map: YAMLMap): Pair<Scalar, Scalar>[] | undefined {
  const forms = map.items.filter(
    ({ key }) => !(isScalar(key) && describingKeys.has(String(key.value))),
  ) as Pair<Scalar, Scalar>[];
  const categories = forms.map(({ key }) => (isScalar(key) ? key.value : undefined));
  const isPlural =
    (forms.length > 1 || (forms.length === 1 && descriptionOf(map) !== undefined)) &&
    categories.every((one) => (pluralCategories as readonly unknown[]).includes(one)) &&
    forms.every(({ value }) => isScalar(value) && typeof value.value === 'string') &&
    categories.includes('other') &&
    new Set(categories).size === forms.length;
  return isPlural ? forms : undefined;
}
