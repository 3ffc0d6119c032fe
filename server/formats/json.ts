import { FileError } from './file-error.ts';
import { JsonError, type JsonMember, type JsonObject, type JsonValue, parseJson } from './json/parser.ts';
import { writerFor } from './json/string-writer.ts';
import { type PluralCategory, type PluralType, pluralCategories } from './messages/plural-forms.ts';
import { type PluralEntry, placesOfStrings, type StringEntry } from './messages/strings.ts';
import type { Edit } from './office/splice.ts';
import { type TextOptions, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';

/**
 * JSON files with the texts of a program: nested keys and arrays; plural forms as i18next has them in keys (`file_one`,
 * `file_other`) and as other libraries have them in objects (`{ "one": …, "other": … }`); ICU messages; and ARB files,
 * whose entries with `@` describe others.
 *
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild } = textFormat(findStrings);

function findStrings(text: string, { targetLanguage }: TextOptions): TextPlaces {
  let root: JsonValue;
  try {
    root = parseJson(text, { duplicates: true });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new FileError('unreadable', `the file is not valid JSON: ${error.message}`, { cause: error });
  }
  const reader = new Reader(text, root);
  reader.readValue(root, []);
  const always = reader.declaredLanguage(targetLanguage);
  return {
    ...placesOfStrings(reader.entries, { targetLanguage }),
    characters: reader.characters,
    ...(always && { always: [always] }),
  };
}

type Entries = [key: string, member: JsonMember][];

class Reader {
  readonly entries: (StringEntry | PluralEntry)[] = [];
  /** Visible characters of all strings. */
  characters = 0;
  readonly #text: string;
  readonly #writer: (text: string) => string;
  /** The entries of the root if the file is an ARB file. */
  readonly #arb: JsonObject | null;
  /** Whether keys of the file end with a plural category in addition to `other`. */
  readonly #hasSuffixes: boolean;

  constructor(text: string, root: JsonValue) {
    this.#text = text;
    this.#writer = writerFor(text);
    this.#arb = root.value instanceof Map && isArb(root.value) ? root.value : null;
    this.#hasSuffixes = /_(?:zero|one|two|few|many)"\s*:/.test(text) && /_other"\s*:/.test(text);
  }

  readValue({ value, line, start, end }: JsonValue, path: readonly string[]): void {
    if (typeof value === 'string') {
      this.characters += countCharacters(value);
      this.entries.push(this.#entry(path, value, line, start, end));
    } else if (Array.isArray(value))
      for (const [index, item] of value.entries()) this.readValue(item, [...path, String(index + 1)]);
    else if (value instanceof Map) this.#readObject(value, path);
  }

  /** Returns the change of the language that an ARB file declares. */
  declaredLanguage(language: string | undefined): Edit | undefined {
    const declared = this.#arb?.get('@@locale');
    if (!declared || language === undefined) return undefined;
    // The tools of Flutter expect an underscore.
    return { start: declared.start, end: declared.end, text: JSON.stringify(language.replace('-', '_')) };
  }

  #readObject(object: JsonObject, path: readonly string[]): void {
    const members: Entries = [...object].filter(([key]) => !(this.#arb && key.startsWith('@')));
    const whole =
      path.length > 0 && pluralsOf(members, (key) => ({ base: '', category: key, type: 'cardinal' }));
    const groups =
      whole && whole.size === 1 && members.length === whole.get('')!.length
        ? whole
        : this.#groupsBySuffix(members);
    // Objects may have thousands of groups, so the order of the members is determined once.
    const order = groups.size > 0 ? orderOf(object) : noOrder;
    const grouped = new Set([...groups.values()].flat().map(({ member }) => member));
    const byFirst = new Map([...groups].map(([base, forms]) => [forms[0]!.member, { base, forms }]));
    for (const [key, member] of members) {
      const group = byFirst.get(member);
      if (group) this.#addForms(group.base, group.forms, order, path);
      else if (!grouped.has(member)) this.readValue(member, [...path, key]);
    }
  }

  #groupsBySuffix(members: Entries): Map<string, Form[]> {
    if (!this.#hasSuffixes) return new Map();
    return pluralsOf(members, (key) => {
      const [, base, ordinal, category] = /^(.+?)(_ordinal)?_([a-z]+)$/.exec(key) ?? [];
      return base === undefined
        ? null
        : { base: `${base}${ordinal ?? ''}_`, category: category!, type: ordinal ? 'ordinal' : 'cardinal' };
    });
  }

  #entry(path: readonly string[], text: string, line: number, start: number, end: number): StringEntry {
    const description = this.#arb?.get(`@${path[0]}`)?.value;
    const comment = description instanceof Map ? description.get('description')?.value : undefined;
    return {
      key: path.join('.'),
      text,
      line,
      comment: typeof comment === 'string' ? comment : undefined,
      write: (translation) => ({ start, end, text: this.#writer(translation) }),
    };
  }

  #addForms(base: string, forms: readonly Form[], order: Order, path: readonly string[]): void {
    const key = [...path, ...(base === '' ? [] : [base.replace(/_$/, '')])].join('.');
    const entries = forms.map(({ category, member }) => {
      const text = member.value as string;
      this.characters += countCharacters(text);
      return [category, this.#entry([key], text, member.line, member.start, member.end)] as const;
    });
    this.entries.push({
      key,
      type: forms[0]!.type,
      forms: new Map(entries),
      write: (texts: ReadonlyMap<string, string>) => this.#writeForms(base, forms, order, texts),
    });
  }

  /** Changes the members of forms that exist, removes those that the language does not have, and inserts the others. */
  #writeForms(
    base: string,
    forms: readonly Form[],
    { members, positions }: Order,
    texts: ReadonlyMap<string, string>,
  ): Edit[] {
    const edits: Edit[] = [];
    const stay = forms.filter(({ category }) => texts.has(category));
    for (const { category, member } of stay)
      edits.push({ start: member.start, end: member.end, text: this.#writer(texts.get(category)!) });
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
    const keyEnd = this.#text.lastIndexOf('"', this.#text.lastIndexOf(':', last.start - 1)) + 1;
    const colon = this.#text.slice(keyEnd, last.start);
    const added = [...texts]
      .filter(([category]) => !forms.some((form) => form.category === category))
      .map(
        ([category, text]) => `,${space}${JSON.stringify(`${base}${category}`)}${colon}${this.#writer(text)}`,
      );
    if (added.length > 0) edits.push({ start: last.end, end: last.end, text: added.join('') });
    return edits;
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

interface Form {
  category: PluralCategory;
  type: PluralType;
  member: JsonMember;
}

/** Returns the groups of members that are the plural forms of one message. Each has `other` and another form. */
function pluralsOf(
  members: Entries,
  read: (key: string) => { base: string; category: string; type: PluralType } | null,
): Map<string, Form[]> {
  const groups = new Map<string, Form[]>();
  for (const [key, member] of members) {
    const found = read(key);
    if (!found || typeof member.value !== 'string' || !isCategory(found.category)) continue;
    const form = { category: found.category, type: found.type, member };
    groups.set(found.base, [...(groups.get(found.base) ?? []), form]);
  }
  for (const [base, forms] of groups)
    if (forms.length < 2 || !forms.some(({ category }) => category === 'other')) groups.delete(base);
  return groups;
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
