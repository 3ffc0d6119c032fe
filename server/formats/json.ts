import { escapeKey } from './existing-target.ts';
import { FileError } from './file-error.ts';
import { type Form, type Group, readNumberedForms } from './json/numbered-forms.ts';
import {
  JsonError,
  type JsonMember,
  type JsonObject,
  type JsonValue,
  parseJson,
  writerFor,
} from './json/parser.ts';
import type { Quoting } from './messages/icu.ts';
import { type KeyPath, KeyWriter, rootPath, withIndex, withKey } from './messages/key-path.ts';
import { isTagOf, spelledLike } from './messages/language-tags.ts';
import {
  describingKeys,
  type PluralCategory,
  type PluralType,
  pluralCategories,
} from './messages/plural-forms.ts';
import { areDoubled } from './messages/quoting.ts';
import { type PluralEntry, placesOfStrings, type StringEntry } from './messages/strings.ts';
import type { Edit } from './office/splice.ts';
import { type TextOptions, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';

/**
 * JSON files with the texts of a program: nested keys and arrays; plural forms as i18next has them in keys (`file_one`,
 * `file_other`) and as other libraries have them in objects (`{ "one": …, "other": … }`); and ICU messages. Descriptions
 * of texts and examples of placeholders are context, in ARB files, in the messages of browser extensions, of FormatJS and
 * of Transifex. The metadata of MediaWiki stays, and the locale of Angular becomes the target language.
 *
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild, texts } = textFormat(findStrings);

function findStrings(text: string, given: TextOptions): TextPlaces {
  const { sourceLanguage, targetLanguage, kept } = given;
  let root: JsonValue;
  try {
    root = parseJson(text, { duplicates: true });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new FileError('unreadable', `the file is not valid JSON: ${error.message}`, { cause: error });
  }
  const reader = new Reader(text, root, given);
  const languageKey = languageKeyOf(root, [sourceLanguage, targetLanguage]);
  const language = languageKey && (root.value as JsonObject).get(languageKey)!;
  // The key is in no name, so that a translation has the same names.
  if (language) reader.readValue(language, { keys: [languageKey], names: [] });
  else reader.readValue(root, rootPath);
  const options = { sourceLanguage, targetLanguage, kept, bars: { sourceLanguage }, ...reader.messages };
  const found = placesOfStrings(reader.entries, options);
  const declared = reader.declaredLanguage(targetLanguage);
  return {
    ...found,
    characters: reader.characters,
    always: [
      ...found.always,
      ...(declared ? [declared] : []),
      ...(language && targetLanguage ? [renameKey(language, languageKey, targetLanguage)] : []),
    ],
  };
}

/** Returns the only key of the root, if it is the code of a language and has the texts. */
function languageKeyOf({ value }: JsonValue, languages: readonly (string | undefined)[]): string | undefined {
  if (!(value instanceof Map) || value.size !== 1) return undefined;
  const [entry] = value;
  if (!entry) return undefined;
  const [key, member] = entry;
  return member.value instanceof Map && languages.some((one) => isTagOf(key, one)) ? key : undefined;
}

function renameKey({ keyStart: start }: JsonMember, key: string, language: string): Edit {
  return { start, end: start + key.length + 2, text: JSON.stringify(spelledLike(key, language)) };
}

/** The members that the described messages of a file have, by the member with the text. */
const messageMembers: Readonly<Record<string, readonly string[]>> = {
  // Browser extensions
  message: ['message', 'description', 'placeholders', 'hash'],
  // Transifex
  string: ['string', 'context', 'developer_comment', 'character_limit'],
};

/** Whether each entry of a file is an object with a text in this member, and has no members but those that describe it. */
function areMessages(root: JsonObject, key: string): boolean {
  const entries = [...root.values()].map(({ value }) => value);
  return (
    entries.length > 0 &&
    entries.every(
      (value) =>
        value instanceof Map &&
        typeof value.get(key)?.value === 'string' &&
        [...value.keys()].every((name) => messageMembers[key]!.includes(name)),
    )
  );
}

/** Returns the locale of a file of Angular, which has no other members than this and the translations. */
function localeOfAngular(root: JsonObject): JsonMember | undefined {
  const locale = root.get('locale');
  const isAngular =
    root.size === 2 && typeof locale?.value === 'string' && root.get('translations')?.value instanceof Map;
  return isAngular ? locale : undefined;
}

/** Returns the description of a message with the examples of its placeholders. */
function describe(object: JsonObject): string | undefined {
  const texts = ['description', 'context', 'developer_comment'].map((name) => object.get(name)?.value);
  const placeholders = object.get('placeholders')?.value;
  if (placeholders instanceof Map)
    for (const [name, { value }] of placeholders) {
      const example = value instanceof Map ? value.get('example')?.value : undefined;
      if (typeof example === 'string') texts.push(`${name} is, for example, “${example}”`);
    }
  const said = texts.filter((text) => typeof text === 'string' && text.trim() !== '');
  return said.length === 0 ? undefined : said.join('; ');
}

/** Whether an object is a message of go-i18n without plural forms: only `other`, and a description. */
function isDescribedForm(object: JsonObject, { keys }: KeyPath): boolean {
  const names = [...object.keys()].filter((name) => !describingKeys.has(name));
  return keys.length > 0 && object.has('description') && names.length === 1 && names[0] === 'other';
}

/** The keys of comments, by convention. A name after `@` is a comment of slang; a key can also be a text that begins so. */
const isComment = /^(?:\/\/|[_$#]+comment|@[\w-]+$)/i;

const isIdentifier = ({ value }: JsonMember): boolean => typeof value === 'string' && !/\s/.test(value);

type Entries = [key: string, member: JsonMember][];

class Reader {
  readonly entries: (StringEntry | PluralEntry)[] = [];
  /** Visible characters of all strings. */
  characters = 0;
  readonly #text: string;
  readonly #writer: (text: string) => string;
  /** The entries of the root if the file is an ARB file. */
  readonly #arb: JsonObject | null;
  /** The declared language of an ARB file, or of one of Angular. */
  readonly #locale: JsonMember | undefined;
  /** The metadata of a file of MediaWiki. */
  readonly #metadata: JsonMember | undefined;
  /** The member of each object that has the text, if all entries of the root are described messages. */
  readonly #messageKey: string | undefined;
  readonly #keys: KeyWriter;
  /** Whether keys of the file end with a plural category in addition to `other`. */
  readonly #hasSuffixes: boolean;
  readonly #sourceLanguage: string;
  readonly #targetLanguage: string | undefined;

  constructor(text: string, root: JsonValue, { sourceLanguage = 'en', targetLanguage }: TextOptions) {
    this.#sourceLanguage = sourceLanguage;
    this.#targetLanguage = targetLanguage;
    this.#text = text;
    this.#keys = new KeyWriter(text);
    this.#writer = writerFor(text);
    const object = root.value instanceof Map ? root.value : new Map<string, JsonMember>();
    this.#arb = isArb(object) ? object : null;
    this.#messageKey = Object.keys(messageMembers).find((key) => areMessages(object, key));
    this.#locale = this.#arb?.get('@@locale') ?? localeOfAngular(object);
    this.#metadata = object.get('@metadata');
    this.#hasSuffixes = /_(?:zero|one|two|few|many)"\s*:/.test(text) && /_other"\s*:/.test(text);
  }

  /** @param isItem whether the value is an item of a list */
  readValue({ value, line, start, end }: JsonValue, path: KeyPath, isItem = false): void {
    if (typeof value === 'string') this.entries.push(this.#entry(path, value, { line, start, end }));
    else if (Array.isArray(value))
      for (const [index, item] of value.entries())
        this.readValue(item, withIndex(path, index, value.length), true);
    else if (value instanceof Map) this.#readObject(value, path, isItem);
  }

  /** Returns the change of the language that the file declares. */
  declaredLanguage(language: string | undefined): Edit | undefined {
    if (!this.#locale || language === undefined) return undefined;
    const { start, end } = this.#locale;
    // The tools of Flutter expect an underscore.
    return { start, end, text: JSON.stringify(this.#arb ? language.replace('-', '_') : language) };
  }

  /** Each text of an ARB file is a message. Its texts show whether Flutter reads them with `use-escaping`. */
  get messages(): { areMessages?: true; quoting?: Quoting } {
    const texts = this.entries.flatMap((entry) => ('forms' in entry ? [] : [entry.text]));
    return this.#arb ? { areMessages: true, quoting: areDoubled(texts) ? 'doubled' : 'none' } : {};
  }

  #readObject(object: JsonObject, path: KeyPath, isItem: boolean): void {
    const message = this.#messageOf(object, path);
    if (message) {
      this.entries.push(message);
      return;
    }
    const members: Entries = [...object].filter(
      ([key, member]) =>
        member !== this.#locale && member !== this.#metadata && !(this.#arb && key.startsWith('@')),
    );
    const described = members.filter(([key]) => !describingKeys.has(key) && !isComment.test(key));
    const whole =
      path.keys.length > 0 && pluralsOf(described, (key) => ({ base: '', category: key, type: 'cardinal' }));
    const isPlural = whole && whole.length === 1 && described.length === whole[0]!.forms.length;
    const groups = isPlural ? whole : this.#groupsBySuffix(members);
    const comment = isPlural ? describe(object) : undefined;
    // Objects may have thousands of groups, so the order of the members is determined once.
    const order = groups.length > 0 ? orderOf(object) : noOrder;
    const grouped = new Set(groups.flatMap(({ forms }) => forms).map(({ member }) => member));
    const byFirst = new Map(groups.map((group) => [group.forms[0]!.member, group]));
    for (const [key, member] of members) {
      const group = byFirst.get(member);
      if (group) this.#addForms(group, order, path, comment);
      else if (!grouped.has(member) && !isPlural) {
        if (isComment.test(key)) this.#keep(withKey(path, key), member, 'not_translatable');
        else if (isItem && key === 'id' && isIdentifier(member))
          this.#keep(withKey(path, key), member, 'identifier');
        else this.readValue(member, withKey(path, key));
      }
    }
  }

  /** Adds a comment or an identifier, which stays. */
  #keep(path: KeyPath, member: JsonMember, keep: string): void {
    const { value } = member;
    if (typeof value === 'string') this.entries.push({ ...this.#entry(path, value, member), keep });
  }

  #groupsBySuffix(members: Entries): Group[] {
    if (!this.#hasSuffixes) return readNumberedForms(members, this.#sourceLanguage);
    return pluralsOf(members, (key) => {
      const [, base, ordinal, category] = /^(.+?)(_ordinal)?_([a-z]+)$/.exec(key) ?? [];
      return base === undefined
        ? null
        : { base: `${base}${ordinal ?? ''}_`, category: category!, type: ordinal ? 'ordinal' : 'cardinal' };
    });
  }

  /** Returns the text of an object that has the text of a message with its description. */
  #messageOf(object: JsonObject, path: KeyPath): StringEntry | undefined {
    const isEntry = path.keys.length === 1 && this.#messageKey !== undefined;
    const key = isEntry ? this.#messageKey! : isDescribedForm(object, path) ? 'other' : 'defaultMessage';
    const member = object.get(key);
    if (typeof member?.value !== 'string') return undefined;
    return { ...this.#entry(path, member.value, member), comment: describe(object) };
  }

  #entry(path: KeyPath, text: string, { line, start, end }: Omit<JsonValue, 'value'>): StringEntry {
    this.characters += countCharacters(text);
    const description = this.#arb?.get(`@${path.keys[0]}`)?.value;
    return {
      ...this.#keys.write(path, line),
      text,
      line,
      comment: description instanceof Map ? describe(description) : undefined,
      write: (translation) => ({ start, end, text: this.#writer(translation) }),
    };
  }

  #addForms(group: Group, order: Order, path: KeyPath, comment: string | undefined): void {
    const { base, forms, keyOf, formsIn } = group;
    const key = [...path.keys, ...(base === '' ? [] : [base.replace(/_$/, '')])].join('.');
    const entries = forms.map(({ category, member }) => {
      const entry = this.#entry({ keys: [key], names: [] }, member.value as string, member);
      return [category, { ...entry, ...(comment !== undefined && { comment }) }] as const;
    });
    this.entries.push({
      key,
      type: forms[0]!.type,
      forms: new Map(entries),
      ...(formsIn && { formsIn }),
      nameOf: (category) => [...path.names, escapeKey(keyOf(category, this.#targetLanguage))].join('.'),
      write: (texts: ReadonlyMap<string, string>) => this.#writeForms(group, order, texts),
    });
  }

  /** Changes the members of forms that exist, removes those that the language does not have, and inserts the others. */
  #writeForms(
    { forms: own, keyOf, formsIn }: Group,
    { members, positions }: Order,
    texts: ReadonlyMap<string, string>,
  ): Edit[] {
    const edits: Edit[] = [];
    const categories = [...texts.keys()];
    const keyFor = (category: string) => JSON.stringify(keyOf(category, this.#targetLanguage));
    // Forms by numbers have other keys in another language.
    const forms = formsIn ? own.map((form, at) => ({ ...form, category: categories[at] ?? '' })) : own;
    const stay = forms.filter(({ category }) => texts.has(category));
    for (const { category, member } of stay) {
      if (formsIn) edits.push({ start: member.keyStart, end: this.#keyEnd(member), text: keyFor(category) });
      edits.push({ start: member.start, end: member.end, text: this.#writer(texts.get(category)!) });
    }
    const removed = new Set(forms.filter(({ category }) => !texts.has(category)).map(({ member }) => member));
    for (const member of removed) {
      const at = positions.get(member)!;
      const next = members[at + 1];
      if (next) edits.push({ start: member.keyStart, end: next.keyStart, text: '' });
      else {
        // At the end of the object, the comma before goes, too. Forms before this one have ended their edits at its key.
        const before = members.findLast((one) => !removed.has(one))!;
        const start = Math.max(before.end, ...edits.map(({ end }) => end));
        edits.push({ start, end: member.end, text: '' });
        if (members[at - 1] !== before)
          edits.push({ start: before.end, end: members[positions.get(before)! + 1]!.keyStart, text: '' });
      }
    }
    const last = stay.at(-1)!.member;
    let spaceStart = last.keyStart;
    while (/\s/.test(this.#text[spaceStart - 1] ?? '')) spaceStart--;
    const space = this.#text.slice(spaceStart, last.keyStart);
    const colon = this.#text.slice(this.#keyEnd(last), last.start);
    const added = [...texts]
      .filter(([category]) => !forms.some((form) => form.category === category))
      .map(([category, text]) => `,${space}${keyFor(category)}${colon}${this.#writer(text)}`);
    if (added.length > 0) edits.push({ start: last.end, end: last.end, text: added.join('') });
    return edits;
  }

  #keyEnd({ start }: JsonMember): number {
    return this.#text.lastIndexOf('"', this.#text.lastIndexOf(':', start - 1)) + 1;
  }
}

/** The members of an object in the order of the file, and the position of each. */
interface Order {
  members: readonly JsonMember[];
  positions: ReadonlyMap<JsonMember, number>;
}

const noOrder: Order = { members: [], positions: new Map() };

function orderOf(object: JsonObject): Order {
  // A key that occurs twice has the place of its first member in the map, but counts at the last one.
  const members = [...object.values()].sort((one, other) => one.keyStart - other.keyStart);
  return { members, positions: new Map(members.map((member, at) => [member, at])) };
}

/** Returns the groups of members that are the plural forms of one message. Each has `other` and another form. */
function pluralsOf(
  members: Entries,
  read: (key: string) => { base: string; category: string; type: PluralType } | null,
): Group[] {
  const groups = new Map<string, Form[]>();
  for (const [key, member] of members) {
    const found = read(key);
    if (!found || typeof member.value !== 'string' || !isCategory(found.category)) continue;
    const form = { category: found.category, type: found.type, member };
    groups.set(found.base, [...(groups.get(found.base) ?? []), form]);
  }
  return [...groups].flatMap(([base, forms]) =>
    forms.length < 2 || !forms.some(({ category }) => category === 'other')
      ? []
      : [{ base, forms, keyOf: (category: string) => base + category }],
  );
}

function isCategory(name: string): name is PluralCategory {
  return (pluralCategories as readonly string[]).includes(name);
}

/** Whether the file is an Application Resource Bundle: it declares its language, or describes its entries. */
function isArb(root: JsonObject): boolean {
  return (
    root.has('@@locale') ||
    [...root].some(
      ([key, { value }]) => value instanceof Map && key.startsWith('@') && root.has(key.slice(1)),
    )
  );
}
