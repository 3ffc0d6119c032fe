import { FileError } from './file-error.ts';
import {
  JsonError,
  type JsonMember,
  type JsonObject,
  type JsonValue,
  parseJson,
  writerFor,
} from './json/parser.ts';
import { joinPlaces } from './messages/key-path.ts';
import { type PluralEntry, placesOfStrings, reasonToKeep, type StringEntry } from './messages/strings.ts';
import { type Edit, splice, spliceRange } from './office/splice.ts';
import { type TextOptions, type TextPlace, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';

/**
 * String catalogs of Xcode. A translation is written to the localization of the target language, with the plural forms
 * of this language. Its state is `translated`, or `needs_review`. A localization whose texts all have the state
 * `translated` stays; others are replaced.
 *
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild } = textFormat(findStrings);

function findStrings(text: string, { targetLanguage }: TextOptions): TextPlaces {
  let root: JsonValue;
  try {
    root = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new FileError('unreadable', `the file is not valid JSON: ${error.message}`, { cause: error });
  }
  const sourceLanguage = objectOf(root).get('sourceLanguage')?.value;
  const strings = objectOf(root).get('strings');
  if (typeof sourceLanguage !== 'string' || !(strings?.value instanceof Map))
    throw new FileError(
      'unreadable',
      'the file is not a string catalog: it lacks "sourceLanguage" or "strings"',
    );
  const catalog = new Catalog(text, sourceLanguage, targetLanguage);
  for (const [key, entry] of strings.value) catalog.readEntry(key, entry);
  return catalog;
}

class Catalog implements TextPlaces {
  readonly places: TextPlace[] = [];
  readonly kept: { reason: string; text: string }[] = [];
  characters = 0;
  readonly #text: string;
  readonly #sourceLanguage: string;
  readonly #targetLanguage: string | undefined;
  readonly #writeString: (text: string) => string;
  /** The characters between a key and its value; Xcode puts a space on both sides of the colon. */
  readonly #colon: string;
  /** The line end and the indentation of one level; both are empty if the file is on one line. */
  readonly #lineEnd: string;
  readonly #indent: string;

  constructor(text: string, sourceLanguage: string, targetLanguage: string | undefined) {
    this.#text = text;
    this.#sourceLanguage = sourceLanguage;
    this.#targetLanguage = targetLanguage;
    this.#writeString = writerFor(text);
    this.#colon = /"strings"(\s*:\s*)/.exec(text)?.[1] ?? ' : ';
    const [, lineEnd = '', indent = ''] = /^\s*\{(\r\n?|\n)?([ \t]*)"/.exec(text) ?? [];
    this.#lineEnd = lineEnd;
    this.#indent = lineEnd === '' ? '' : indent;
  }

  readEntry(key: string, entry: JsonMember): void {
    const members = objectOf(entry);
    const localizations = members.get('localizations');
    const own = objectOf(localizations).get(this.#sourceLanguage);
    const template = statesOf(own).length > 0 ? this.#text.slice(own!.start, own!.end) : this.#plain(key);
    const comment = members.get('comment')?.value;
    const found = readLocalization(template, parseJson(template), {
      key,
      line: (own ?? entry).line,
      comment: typeof comment === 'string' && comment !== '' ? comment : undefined,
      writeString: this.#writeString,
    });
    const all = found.texts.join('');
    this.characters += countCharacters(all);
    const target = this.#existing(objectOf(localizations));
    const states = statesOf(target);
    const isDone = states.length > 0 && states.every((state) => state === 'translated');
    const reason =
      members.get('shouldTranslate')?.value === false
        ? 'not_translatable'
        : isDone
          ? 'translated_before'
          : null;
    if (reason) {
      this.kept.push({ reason, text: all });
      return;
    }
    const { places, kept = [] } = placesOfStrings(found.entries, { targetLanguage: this.#targetLanguage });
    this.kept.push(...found.kept, ...kept);
    if (places.length === 0) return;
    const write = (edits: Edit[]): Edit[] => {
      const changed = [...found.edits, ...edits].sort((one, other) => one.start - other.start);
      const translation = [...splice(template, changed)].join('');
      if (target) return [{ start: target.start, end: target.end, text: translation }];
      const language = this.#targetLanguage!;
      if (localizations) return [this.#insert(localizations, language, translation, 4)];
      return [this.#insert(entry, 'localizations', this.#object({ [language]: translation }, 3), 3)];
    };
    this.places.push(joinPlaces(places, write));
  }

  /** Returns the localization of the target language, whose code may have other letter case or `_`. */
  #existing(localizations: JsonObject): JsonMember | undefined {
    const wanted = this.#targetLanguage?.toLowerCase();
    return [...localizations].find(([code]) => code.toLowerCase().replaceAll('_', '-') === wanted)?.[1];
  }

  /** Returns a localization with one text. */
  #plain(text: string): string {
    const unit = this.#object({ state: '"translated"', value: this.#writeString(text) }, 5);
    return this.#object({ stringUnit: unit }, 4);
  }

  /** Writes an object whose key is at a level of the file, from 1 for the keys of the root. */
  #object(members: Record<string, string>, level: number): string {
    const written = Object.entries(members).map(
      ([key, value]) => this.#line(level + 1) + this.#member(key, value),
    );
    return `{${written.join(',')}${this.#line(level)}}`;
  }

  #member(key: string, value: string): string {
    return `${JSON.stringify(key)}${this.#colon}${value}`;
  }

  #line(level: number): string {
    return this.#lineEnd + this.#indent.repeat(this.#lineEnd === '' ? 0 : level);
  }

  /** Inserts a member into an object, in the order of the keys. Its key has this level. */
  #insert(object: JsonMember, key: string, value: string, level: number): Edit {
    const members = [...objectOf(object)];
    const member = this.#member(key, value);
    if (members.length === 0) {
      const text = `{${this.#line(level)}${member}${this.#line(level - 1)}}`;
      return { start: object.start, end: object.end, text };
    }
    const next = members.find(([other]) => other.toLowerCase() > key.toLowerCase());
    if (next) {
      const start = next[1].keyStart;
      return { start, end: start, text: `${member},${this.#line(level)}` };
    }
    const { end } = members.at(-1)![1];
    return { start: end, end, text: `,${this.#line(level)}${member}` };
  }
}

/** The texts of a localization in a string catalog: one text, or texts for devices, plural forms and substitutions. */
interface LocalizationTexts {
  entries: (StringEntry | PluralEntry)[];
  kept: { reason: string; text: string }[];
  /** The changes of texts that stay. */
  edits: Edit[];
  /** All texts, also those that stay. */
  texts: string[];
}

/** The common properties of the texts of a localization. */
interface EntryTraits {
  key: string;
  line: number;
  comment: string | undefined;
  writeString(text: string): string;
}

/**
 * Reads the texts of a source localization. Their changes turn a copy of it into the translation.
 *
 * @param template the JSON of the localization
 * @param root its value, whose positions are offsets in the template
 */
function readLocalization(template: string, root: JsonValue, traits: EntryTraits): LocalizationTexts {
  const found: LocalizationTexts = { entries: [], kept: [], edits: [], texts: [] };
  read(root, traits.comment);
  return found;

  function read(value: JsonValue | undefined, comment: string | undefined): void {
    const object = objectOf(value);
    const unit = unitOf(object, comment);
    if (unit) add(unit);
    const variations = objectOf(object.get('variations'));
    for (const [device, inner] of objectOf(variations.get('device')))
      read(inner, note(comment, `for the device “${device}”`));
    readPlural(variations.get('plural'), comment);
    for (const [name, inner] of objectOf(object.get('substitutions')))
      read(inner, note(comment, `replaces %#@${name}@`));
  }

  function add(unit: StringEntry): void {
    found.texts.push(unit.text);
    const reason = reasonToKeep(unit.text);
    if (!reason) found.entries.push(unit);
    else {
      found.kept.push({ reason, text: unit.text });
      found.edits.push(...[unit.write(unit.text, false)].flat());
    }
  }

  function unitOf(object: JsonObject, comment: string | undefined): StringEntry | undefined {
    const unit = objectOf(object.get('stringUnit'));
    const [state, value] = [unit.get('state'), unit.get('value')];
    if (typeof value?.value !== 'string') return undefined;
    return {
      ...traits,
      comment,
      text: value.value,
      write: (text, needsReview) => [
        ...(state
          ? [{ start: state.start, end: state.end, text: needsReview ? '"needs_review"' : '"translated"' }]
          : []),
        { start: value.start, end: value.end, text: traits.writeString(text) },
      ],
    };
  }

  function readPlural(plural: JsonValue | undefined, comment: string | undefined): void {
    const members = objectOf(plural);
    const units = [...members].flatMap(([category, member]) => {
      const unit = unitOf(objectOf(member), comment);
      return unit ? [{ category, member, unit }] : [];
    });
    const model = units.find(({ category }) => category === 'other');
    if (
      !plural ||
      !model ||
      units.length < members.size ||
      units.every(({ unit }) => reasonToKeep(unit.text))
    ) {
      for (const [category, inner] of members) read(inner, note(comment, `plural form “${category}”`));
      return;
    }
    for (const { unit } of units) found.texts.push(unit.text);
    const forms = new Map(units.map(({ category, unit }) => [category, unit]));
    const { key } = traits;
    const write = (texts: ReadonlyMap<string, string>, needsReview: boolean): Edit[] => {
      const gap = template.slice(plural.start + 1, [...members.values()][0]!.keyStart);
      const end = /\s*$/.exec(template.slice(0, plural.end - 1))![0];
      // Xcode sorts the forms by name.
      const written = [...texts]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([category, text]) => {
          const { member, unit } = units.find((one) => one.category === category) ?? model;
          const edits = [unit.write(text, needsReview)].flat().sort((one, other) => one.start - other.start);
          const body = spliceRange(template, member.start, member.end, edits);
          const head = template.slice(member.keyStart, member.start);
          return `${gap}"${category}"${head.slice(head.indexOf('"', 1) + 1)}${body}`;
        });
      return [{ start: plural.start, end: plural.end, text: `{${written.join(',')}${end}}` }];
    };
    found.entries.push({ key, type: 'cardinal', forms, write });
  }
}

const note = (comment: string | undefined, more: string) => (comment ? `${comment}; ${more}` : more);

/** Returns a value as an object; an empty one for other values. */
function objectOf(value: JsonValue | undefined): JsonObject {
  return value?.value instanceof Map ? value.value : new Map();
}

/** Returns the states of all texts of a localization. */
function statesOf(value: JsonValue | undefined): unknown[] {
  return [...objectOf(value)].flatMap(([key, member]) =>
    key === 'stringUnit' ? [objectOf(member).get('state')?.value] : statesOf(member),
  );
}
