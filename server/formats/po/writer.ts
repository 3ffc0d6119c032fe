import type { FileText, OwnText, uniqueNames } from '../existing-target.ts';
import type { MessageText } from '../messages/choices.ts';
import type { Quoting } from '../messages/icu.ts';
import { describeForm, poPluralsOf, sourceOfForm } from '../messages/plural-forms.ts';
import { formsOfSource, messageIn, withSpaceOf, withWords } from '../messages/strings.ts';
import type { Edit } from '../office/splice.ts';
import { lineEndOf, placeOfLine, type TextPlace, type TextTarget } from '../text-file.ts';
import { type PoEntry, quotePo } from './parser.ts';

/** The text of an entry to translate. */
export interface PoSource {
  /** The plural forms by category; only `other` without plural forms. */
  forms: ReadonlyMap<string, string>;
  /** Whether the text is in `msgstr`. Then the `msgid` is its key. */
  isTranslation: boolean;
}

/** Returns the fields of the header, by their names in lower case. */
export function readHeader(text: string): Map<string, string> {
  return new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
    }),
  );
}

/** Returns the number of plural forms that a header declares; 0 without one. */
export function pluralCount(fields: ReadonlyMap<string, string>): number {
  const [, declared] = /nplurals\s*=\s*(\d{1,9})/.exec(fields.get('plural-forms') ?? '') ?? [];
  return Number(declared ?? 0);
}

export const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** The comment with which Lingui marks an entry whose ID is a key. */
export const explicitId = 'js-lingui-explicit-id';

export type KeptText = Pick<OwnText, 'isDraft' | 'text'>;

/** The maximum number of plural forms of a language. */
const maxForms = 6;

/** Writes the entries and the header of a catalog. */
export class PoWriter {
  readonly #text: string;
  readonly #lineEnd: string;
  readonly #fields: ReadonlyMap<string, string>;
  readonly #language: string | undefined;
  /** The category of each plural form. */
  readonly #forms: readonly string[];
  /** The header `Plural-Forms` that the translated file needs; undefined if that of the file fits. */
  readonly #pluralForms: string | undefined;
  /** How ICU messages quote; undefined if the catalog has none. */
  readonly #quoting: Quoting | undefined;
  readonly #sourceLanguage: string;

  /**
   * @param isTarget whether the file is declared to be in the target language
   * @param existingForms the number of plural forms that an existing translation declares; 0 without one
   */
  constructor(
    text: string,
    fields: ReadonlyMap<string, string>,
    {
      sourceLanguage = 'en',
      targetLanguage: language,
      isTarget,
      existingForms,
      quoting,
    }: {
      sourceLanguage: string | undefined;
      targetLanguage: string | undefined;
      isTarget: boolean;
      existingForms: number;
      quoting: Quoting | undefined;
    },
  ) {
    this.#text = text;
    this.#sourceLanguage = sourceLanguage;
    this.#quoting = quoting;
    this.#lineEnd = lineEndOf(text);
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
    const { context, comments, id, flags } = entry;
    const note = [context && `context “${context.text}”`, ...comments.filter((one) => one !== explicitId)]
      .filter(Boolean)
      .join('; ');
    const { forms: all, write, check } = this.#messageOf(entry, source) ?? this.#formsOf(entry, source);
    const forms = entry.plural ? all.filter((_, form) => !existing[form]) : all;
    const most = Number(flags.find((flag) => /^max-length:\d{1,6}$/.test(flag))?.slice('max-length:'.length));
    return {
      isBilingual: true,
      original,
      ...(check && { check }),
      ...(most > 0 && { limit: { most, unit: 'characters' } }),
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
    // Forms beyond those that the header declares are in no source, so a translation with them is rejected.
    const count = Math.max(
      pluralCount(this.#fields) <= maxForms ? pluralCount(this.#fields) : 0,
      this.#forms.length,
    );
    const nameOf = (form: number) =>
      plural && form >= count ? `${key}\\[+${form}]` : numbered(plainOf(form));
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

  /** Returns the texts of an ICU message, or of forms between bars, and how they are joined; undefined for other entries. */
  #messageOf({ plural, id }: PoEntry, { forms }: PoSource): PoForms | undefined {
    if (plural) return undefined;
    const read = messageIn(forms.get('other')!, this.#quoting, {
      targetLanguage: this.#language,
      bars: { sourceLanguage: this.#sourceLanguage, needsCount: true },
    });
    const message = read && withWords(read);
    if (!message || message.texts.length === 0) return undefined;
    return {
      forms: message.texts,
      write: (texts) => [message.write(texts)],
      ...(message.hasFormsOfSource && { check: () => [formsOfSource(placeOfLine(id.line))] }),
    };
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
        : `${text.replace(/[^\n]$/, '$&\n')}${name}: ${content}\n`;
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
  check?: TextPlace['check'];
}
