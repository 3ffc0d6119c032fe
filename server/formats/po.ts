import { type FileText, type KeptTexts, type OwnText, uniqueNames } from './existing-target.ts';
import { FileError } from './file-error.ts';
import { hasIcuChoice, type MessageText, readIcu } from './messages/icu.ts';
import { describeForm, sourceOfForm } from './messages/plural-forms.ts';
import { reasonToKeep, withSpaceOf } from './messages/strings.ts';
import type { Edit } from './office/splice.ts';
import { type PoEntry, parsePo, quotePo } from './po/parser.ts';
import { poPluralsOf } from './po/plural-rules.ts';
import {
  placeOfLine,
  type TextOptions,
  type TextPlace,
  type TextPlaces,
  type TextTarget,
  textFormat,
} from './text-file.ts';
import { countCharacters } from './text-tally.ts';

/**
 * Gettext PO files. A translation is written to `msgstr`, with the plural forms of the target language. A translation
 * that needs a review gets the flag `fuzzy`; in the source file, entries with this flag are translated again. Other
 * entries that already have a translation stay.
 *
 * The source is in `msgid`. In a catalog of the source language, and in one whose IDs are keys (`home.title`), it is in
 * `msgstr`. If one text has a choice in the syntax of ICU, all are read as ICU messages.
 *
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild, texts } = textFormat(findEntries);

function findEntries(
  text: string,
  { sourceLanguage, targetLanguage, sourceField, kept: existing }: TextOptions,
): TextPlaces {
  const all = parsePo(text);
  const header = all.find(({ id, context }) => id.text === '' && !context);
  const fields = readHeader(header?.translations[0]?.text ?? '');
  requireUtf8(fields);
  const declared = fields.get('language')?.replace('_', '-') ?? '';
  // The translations of a file in another language, such as that of the source, are replaced.
  const hasTarget = targetLanguage === undefined || declared === '' || isSame(declared, targetLanguage);
  const entries = all.filter((entry) => entry !== header && entry.id.text.trim() !== '');
  const isOfSource = sourceField
    ? sourceField === 'msgstr'
    : !hasTarget && sourceLanguage !== undefined && isSamePrimary(declared, sourceLanguage);
  const isTranslated = hasTarget && declared !== '';
  const hasKeys = sourceField ? sourceField === 'msgstr' : areKeys(entries);
  const isKey = (entry: PoEntry) => hasKeys || (!sourceField && hasExplicitId(entry));
  const sources = entries.map((entry) =>
    sourceOf(entry, isOfSource || (!isTranslated && isKey(entry)), sourceLanguage),
  );
  const isIcu = sources.some(({ forms }) => forms.size === 1 && hasIcuChoice(forms.get('other')!));
  const keptHeader = existing?.get('')?.text;
  const existingForms = pluralCount(readHeader(keptHeader ?? ''));
  const writer = new Writer(text, fields, { targetLanguage, isTarget: isTranslated, existingForms, isIcu });
  const places: TextPlace[] = [];
  const kept: { reason: string; text: string }[] = [];
  const always: Edit[] = [];
  const listed: FileText[] = [];
  const unique = uniqueNames();
  let characters = 0;
  for (const [at, entry] of entries.entries()) {
    const source = sources[at]!;
    const own = [...source.forms.values()].join('');
    characters += countCharacters(own);
    const isDone =
      hasTarget &&
      !source.isTranslation &&
      !entry.flags.includes('fuzzy') &&
      entry.translations.every((one) => one.text !== '');
    const hasText = source.isTranslation || !isKey(entry);
    const texts = writer.textsOf(entry, source, unique, isDone);
    listed.push(texts);
    const names = entry.plural ? texts.names.slice(0, writer.formCount) : texts.names;
    const before = keptForms(entry, names, existing, isDone);
    const written = before.every((one) => one !== undefined) ? before : undefined;
    if (written) always.push(...writer.keptEdits(entry, written));
    const reason = isDone || written ? 'translated_before' : hasText ? reasonToKeep(own) : 'identifier';
    if (reason) kept.push({ reason, text: own });
    else places.push(writer.placeOf(entry, source, own, before));
  }
  if (header) {
    // Programs of translators write their names and times into the header.
    const { text: own = '' } = header.translations[0] ?? {};
    listed.push({ place: 'header', source: '', names: [''], own: [{ name: '', text: own }] });
    always.push(
      ...writer.headerEdits(
        header,
        entries.some(({ plural }) => plural),
        keptHeader,
      ),
    );
  }
  return { places, kept, characters, always, texts: () => ({ all: listed }) };
}

/** The text of an entry to translate. */
interface PoSource {
  /** The plural forms by category; only `other` without plural forms. */
  forms: ReadonlyMap<string, string>;
  /** Whether the text is in `msgstr`. Then the `msgid` is its key. */
  isTranslation: boolean;
}

/** @param inTranslation whether the source is in `msgstr`, unless that is empty */
function sourceOf(
  { id, plural, translations }: PoEntry,
  inTranslation: boolean,
  language: string | undefined,
): PoSource {
  const isTranslation = inTranslation && translations.every(({ text }) => text.trim() !== '');
  if (!isTranslation) {
    const forms = plural
      ? [['one', id.text] as const, ['other', plural.text] as const]
      : [['other', id.text] as const];
    return { forms: new Map(forms), isTranslation };
  }
  if (!plural) return { forms: new Map([['other', translations[0]!.text]]), isTranslation };
  const categories = poPluralsOf(language ?? 'en').forms;
  const forms = new Map(translations.map(({ text }, form) => [categories[form] ?? 'other', text]));
  if (!forms.has('other')) forms.set('other', translations.at(-1)!.text);
  return { forms, isTranslation };
}

/** A key has parts and no spaces, such as `home.title`, `cart_items` and `errors/not-found`. */
const key = /^[\p{L}\p{N}$]+(?:[._:/-][\p{L}\p{N}$]+)+$/u;

/** Whether the IDs of a catalog are keys: none has a space, half of them look like one, and there are texts for them. */
function areKeys(entries: readonly PoEntry[]): boolean {
  const ids = entries.map(({ id }) => id.text);
  return (
    ids.every((id) => !/\s/.test(id.trim())) &&
    ids.filter((id) => key.test(id)).length * 2 >= ids.length &&
    entries.some(({ id, translations: [first] }) => first!.text.trim() !== '' && first!.text !== id.text)
  );
}

/** Whether Lingui has marked the ID of an entry as a key. */
function hasExplicitId({ comments }: PoEntry): boolean {
  return comments.includes(explicitId);
}

const explicitId = 'js-lingui-explicit-id';

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const isSamePrimary = (one: string, other: string) => isSame(one.split('-')[0]!, other.split('-')[0]!);

/** Returns the fields of the header, by their names in lower case. */
function readHeader(text: string): Map<string, string> {
  return new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
    }),
  );
}

/** Returns the number of plural forms that a header declares; 0 without one. */
function pluralCount(fields: ReadonlyMap<string, string>): number {
  const [, declared] = /nplurals\s*=\s*(\d{1,9})/.exec(fields.get('plural-forms') ?? '') ?? [];
  return Number(declared ?? 0);
}

function requireUtf8(fields: ReadonlyMap<string, string>): void {
  const [, charset] = /charset=([\w-]+)/i.exec(fields.get('content-type') ?? '') ?? [];
  if (charset === undefined || /^(?:utf-?8|us-ascii|ascii|charset)$/i.test(charset)) return;
  throw new FileError(
    'not_text',
    `the file must be in UTF-8, but its header declares ${charset}; convert it with msgconv -t UTF-8`,
  );
}

type KeptText = Pick<OwnText, 'isDraft' | 'text'>;

/** Returns the texts of an existing translation, and those of the file if it has the others. */
function keptForms(
  { translations }: PoEntry,
  names: readonly string[],
  existing: KeptTexts | undefined,
  isDone: boolean,
): (KeptText | undefined)[] {
  const found = names.map((name) => existing?.get(name));
  if (!isDone || found.every((one) => !one)) return found;
  return found.map((one, form) => one ?? translations[form] ?? translations.at(-1)!);
}

/** The maximum number of plural forms of a language. */
const maxForms = 6;

class Writer {
  readonly #text: string;
  readonly #lineEnd: string;
  readonly #fields: ReadonlyMap<string, string>;
  readonly #language: string | undefined;
  /** The category of each plural form. */
  readonly #forms: readonly string[];
  /** The header `Plural-Forms` that the translated file needs; undefined if that of the file fits. */
  readonly #pluralForms: string | undefined;
  readonly #isIcu: boolean;

  /**
   * @param isTarget whether the file is declared to be in the target language
   * @param existingForms the number of plural forms that an existing translation declares; 0 without one
   */
  constructor(
    text: string,
    fields: ReadonlyMap<string, string>,
    {
      targetLanguage: language,
      isTarget,
      existingForms,
      isIcu,
    }: { targetLanguage: string | undefined; isTarget: boolean; existingForms: number; isIcu: boolean },
  ) {
    this.#text = text;
    this.#isIcu = isIcu;
    this.#lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
    this.#fields = fields;
    this.#language = language;
    const { header, forms } = poPluralsOf(language ?? 'en');
    // A file in the target language, or an existing translation with more forms, has its own number of forms.
    const count = existingForms > forms.length ? existingForms : isTarget ? pluralCount(fields) : 0;
    const fits = count > 0 && count <= maxForms;
    this.#forms = fits ? Array.from({ length: count }, (_, at) => forms[at] ?? 'other') : forms;
    this.#pluralForms = fits ? undefined : header;
  }

  get formCount(): number {
    return this.#forms.length;
  }

  /** @param existing the forms of an existing translation, which are in no segment and written with the others */
  placeOf(
    entry: PoEntry,
    source: PoSource,
    original: string,
    existing: readonly (KeptText | undefined)[],
  ): TextPlace {
    const { context, comments, id } = entry;
    const note = [context && `context “${context.text}”`, ...comments.filter((one) => one !== explicitId)]
      .filter(Boolean)
      .join('; ');
    const { forms: all, write } = this.#messageOf(entry, source) ?? this.#formsOf(entry, source);
    const forms = entry.plural ? all.filter((_, form) => !existing[form]) : all;
    return {
      isBilingual: true,
      original,
      segments: forms.map((form) => {
        const variant = [context?.text, form.variant].filter(Boolean).join(' ');
        const about = [note, form.note].filter(Boolean).join('; ');
        return {
          kind: 'text_block',
          place: placeOfLine(id.line, source.isTranslation ? id.text : ''),
          ...(about !== '' && { context: about }),
          ...(variant !== '' && { variant }),
          source: [form.text.trim()],
        };
      }),
      write: (targets) => {
        const texts = targets.map(({ target }, at) => withSpaceOf(forms[at]!.text, target));
        const drafts = existing.map((one) => ({ target: [], needsReview: one?.isDraft ?? false }));
        const rest = texts.values();
        const merged = entry.plural
          ? all.map((_, form) => existing[form]?.text ?? rest.next().value!)
          : texts;
        return this.#write(entry, [...targets, ...drafts], write(merged));
      },
    };
  }

  /** Returns the texts of an entry, to compare a translation with its source. */
  textsOf(
    entry: PoEntry,
    { forms }: PoSource,
    unique: ReturnType<typeof uniqueNames>,
    isDone: boolean,
  ): FileText {
    const { context, id, plural, translations, flags } = entry;
    const key = (context ? `${context.text}\u0004${id.text}` : id.text).replaceAll('\\', '\\\\');
    const plainOf = (form: number) => (plural ? `${key}\\[${form}]` : key);
    const own = translations.map(({ text }) => text);
    const plain = Array.from({ length: plural ? Math.max(own.length, maxForms) : 1 }, (_, form) =>
      plainOf(form),
    );
    const numbered = unique(plain);
    const nameOf = (form: number) => numbered(plainOf(form));
    return {
      place: placeOfLine(id.line, id.text),
      source: JSON.stringify([[...forms], isDone ? own : null]),
      // An existing translation may have more forms than those of the language here.
      names: plain.slice(0, maxForms).map(numbered),
      own: own.map((text, form) => ({
        name: nameOf(form),
        text,
        ...(flags.includes('fuzzy') && { isDraft: true }),
      })),
    };
  }

  /** Returns the changes that write an existing translation. */
  keptEdits(entry: PoEntry, existing: readonly KeptText[]): Edit[] {
    const targets = existing.map(({ text, isDraft = false }) => ({ target: [text], needsReview: isDraft }));
    return this.#write(
      entry,
      targets,
      existing.map(({ text }) => text),
    );
  }

  /** Returns the texts of an ICU message, and how they are joined; undefined for other entries. */
  #messageOf({ plural }: PoEntry, { forms }: PoSource): PoForms | undefined {
    const message = this.#isIcu && !plural ? readIcu(forms.get('other')!, this.#language) : null;
    if (!message || message.texts.some(({ text }) => text.trim() === '')) return undefined;
    return { forms: message.texts, write: (texts) => [message.write(texts)] };
  }

  #formsOf({ plural }: PoEntry, { forms }: PoSource): PoForms {
    if (!plural) return { forms: [{ text: forms.get('other')! }], write: (texts) => texts };
    const language = this.#language ?? 'en';
    return {
      forms: this.#forms.map((category) => ({
        text: sourceOfForm(forms, category, language),
        variant: category,
        note: describeForm(language, category),
      })),
      write: (texts) => texts,
    };
  }

  #write(entry: PoEntry, targets: readonly TextTarget[], texts: readonly string[]): Edit[] {
    const { plural, translations, flags, flagLine, previous, start, id, context } = entry;
    const lines = texts.map((text) => quotePo(text, this.#lineEnd));
    const edits: Edit[] = [];
    if (plural) {
      const first = this.#text.lastIndexOf('msgstr', translations[0]!.start);
      const written = lines.map((line, form) => `msgstr[${form}] ${line}`).join(this.#lineEnd);
      edits.push({ start: first, end: translations.at(-1)!.end, text: written });
    } else edits.push({ start: translations[0]!.start, end: translations[0]!.end, text: lines[0]! });
    const needsReview = targets.some((one) => one.needsReview);
    const line = this.#flagLine([
      ...(needsReview ? ['fuzzy'] : []),
      ...flags.filter((flag) => flag !== 'fuzzy'),
    ]);
    if (flagLine && needsReview !== flags.includes('fuzzy')) edits.push({ ...flagLine, text: line });
    if (!flagLine && needsReview) {
      const at = this.#text.lastIndexOf(context ? 'msgctxt' : 'msgid', (context ?? id).start);
      edits.push({ start: Math.max(at, start), end: Math.max(at, start), text: line });
    }
    for (const range of needsReview ? [] : previous) edits.push({ ...range, text: '' });
    return edits;
  }

  #flagLine(flags: readonly string[]): string {
    const named = flags.filter((flag) => flag !== '');
    return named.length === 0 ? '' : `#, ${named.join(', ')}${this.#lineEnd}`;
  }

  /**
   * Returns the changes of the header: its fields `Language`, `Plural-Forms` and `Content-Type`, and its flag `fuzzy`,
   * with which some programs skip the whole file. That of an existing translation stays, but its number of plural forms is
   * that of the written ones.
   */
  headerEdits(
    { translations: [value], plural, flags, flagLine }: PoEntry,
    hasPlurals: boolean,
    existing?: string,
  ): Edit[] {
    const targetLanguage = this.#language;
    if (!value || plural || targetLanguage === undefined) return [];
    const wanted = new Map([['Language', targetLanguage.replace('-', '_')]]);
    if (this.#pluralForms !== undefined) wanted.set('Plural-Forms', this.#pluralForms);
    if (!/charset=utf-?8\b/i.test(this.#fields.get('content-type') ?? ''))
      wanted.set('Content-Type', 'text/plain; charset=UTF-8');
    let text = existing ?? value.text;
    if (existing !== undefined) {
      const fields = readHeader(existing);
      if (hasPlurals && pluralCount(fields) !== this.#forms.length)
        wanted.set('Plural-Forms', this.#pluralForms ?? this.#fields.get('plural-forms')!);
      else wanted.delete('Plural-Forms');
      if ((fields.get('language') ?? '') !== '') wanted.delete('Language');
      if (/charset=utf-?8\b/i.test(fields.get('content-type') ?? '')) wanted.delete('Content-Type');
      else wanted.set('Content-Type', 'text/plain; charset=UTF-8');
    }
    for (const [name, content] of wanted) {
      const field = new RegExp(`^${name}:.*$`, 'im');
      const old = existing === undefined ? this.#fields.get(name.toLowerCase()) : undefined;
      if (name === 'Language' && old !== undefined && isSame(old.replace('_', '-'), targetLanguage)) continue;
      text = field.test(text)
        ? text.replace(field, () => `${name}: ${content}`)
        : `${text.replace(/\n?$/, '\n')}${name}: ${content}\n`;
    }
    const edits: Edit[] = [];
    if (flagLine && flags.includes('fuzzy'))
      edits.push({ ...flagLine, text: this.#flagLine(flags.filter((flag) => flag !== 'fuzzy')) });
    if (text !== value.text)
      edits.push({ start: value.start, end: value.end, text: quotePo(text, this.#lineEnd) });
    return edits;
  }
}

/** The texts of an entry that are translated, and how their translations are written. */
interface PoForms {
  forms: readonly MessageText[];
  /** Returns the values of `msgstr`. */
  write(texts: readonly string[]): readonly string[];
}
