import { FileError } from './file-error.ts';
import { describeForm, sourceOfForm } from './messages/plural-forms.ts';
import { reasonToKeep, withSpaceOf } from './messages/strings.ts';
import type { Edit } from './office/splice.ts';
import { type PoEntry, type PoString, parsePo, quotePo } from './po/parser.ts';
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
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild } = textFormat(findEntries);

function findEntries(text: string, { targetLanguage }: TextOptions): TextPlaces {
  const all = parsePo(text);
  const header = all.find(({ id, context }) => id.text === '' && !context);
  const fields = readHeader(header?.translations[0]?.text ?? '');
  requireUtf8(fields);
  const declared = fields.get('language')?.replace('_', '-') ?? '';
  // The translations of a file in another language, such as that of the source, are replaced.
  const hasTarget = targetLanguage === undefined || declared === '' || isSame(declared, targetLanguage);
  const writer = new Writer(text, fields, targetLanguage, hasTarget && declared !== '');
  const places: TextPlace[] = [];
  const kept: { reason: string; text: string }[] = [];
  let characters = 0;
  for (const entry of all) {
    if (entry === header || entry.id.text.trim() === '') continue;
    const source = entry.id.text + (entry.plural?.text ?? '');
    characters += countCharacters(source);
    const isDone =
      hasTarget && !entry.flags.includes('fuzzy') && entry.translations.every((one) => one.text !== '');
    const reason = isDone ? 'translated_before' : reasonToKeep(source);
    if (reason) kept.push({ reason, text: source });
    else places.push(writer.placeOf(entry, source));
  }
  return { places, kept, characters, always: header ? writer.headerEdits(header) : [] };
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Returns the fields of the header, by their names in lower case. */
function readHeader(text: string): Map<string, string> {
  return new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
    }),
  );
}

function requireUtf8(fields: ReadonlyMap<string, string>): void {
  const [, charset] = /charset=([\w-]+)/i.exec(fields.get('content-type') ?? '') ?? [];
  if (charset === undefined || /^(?:utf-?8|us-ascii|ascii|charset)$/i.test(charset)) return;
  throw new FileError(
    'not_text',
    `the file must be in UTF-8, but its header declares ${charset}; convert it with msgconv -t UTF-8`,
  );
}

class Writer {
  readonly #text: string;
  readonly #lineEnd: string;
  readonly #fields: ReadonlyMap<string, string>;
  readonly #language: string | undefined;
  /** The category of each plural form. */
  readonly #forms: readonly string[];
  /** The header `Plural-Forms` that the translated file needs; undefined if that of the file fits. */
  readonly #pluralForms: string | undefined;

  /** @param isTarget whether the file is declared to be in the target language */
  constructor(
    text: string,
    fields: ReadonlyMap<string, string>,
    language: string | undefined,
    isTarget: boolean,
  ) {
    this.#text = text;
    this.#lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
    this.#fields = fields;
    this.#language = language;
    const { header, forms } = poPluralsOf(language ?? 'en');
    const [, declared] = /nplurals\s*=\s*(\d+)/.exec(fields.get('plural-forms') ?? '') ?? [];
    const count = Number(declared);
    // A file in the target language may have translations with its own number of forms.
    const fits = isTarget && count > 0 && count <= 6;
    this.#forms = fits ? Array.from({ length: count }, (_, at) => forms[at] ?? 'other') : forms;
    this.#pluralForms = fits ? undefined : header;
  }

  placeOf(entry: PoEntry, original: string): TextPlace {
    const { context, plural, comments, id } = entry;
    const note = [context && `context “${context.text}”`, ...comments].filter(Boolean).join('; ');
    const forms = plural
      ? this.#formsOf(id, plural)
      : [{ source: id.text, variant: undefined, note: undefined }];
    return {
      isBilingual: true,
      original,
      segments: forms.map((form) => {
        const variant = [context?.text, form.variant].filter(Boolean).join(' ');
        const about = [note, form.note].filter(Boolean).join('; ');
        return {
          kind: 'text_block',
          place: placeOfLine(id.line),
          ...(about !== '' && { context: about }),
          ...(variant !== '' && { variant }),
          source: [form.source.trim()],
        };
      }),
      write: (targets) =>
        this.#write(
          entry,
          targets,
          forms.map(({ source }) => source),
        ),
    };
  }

  #formsOf(id: PoString, plural: PoString) {
    const language = this.#language ?? 'en';
    const sources = new Map([
      ['one', id.text],
      ['other', plural.text],
    ]);
    return this.#forms.map((category) => ({
      source: sourceOfForm(sources, category, language),
      variant: category,
      note: describeForm(language, category),
    }));
  }

  #write(entry: PoEntry, targets: readonly TextTarget[], sources: readonly string[]): Edit[] {
    const { plural, translations, flags, flagLine, previous, start, id, context } = entry;
    const lines = targets.map(({ target }, at) => quotePo(withSpaceOf(sources[at]!, target), this.#lineEnd));
    const edits: Edit[] = [];
    if (plural) {
      const first = this.#text.lastIndexOf('msgstr', translations[0]!.start);
      const written = lines.map((line, form) => `msgstr[${form}] ${line}`).join(this.#lineEnd);
      edits.push({ start: first, end: translations.at(-1)!.end, text: written });
    } else edits.push({ start: translations[0]!.start, end: translations[0]!.end, text: lines[0]! });
    const needsReview = targets.some((one) => one.needsReview);
    const changed = [
      ...(needsReview ? ['fuzzy'] : []),
      ...flags.filter((flag) => flag !== 'fuzzy' && flag !== ''),
    ];
    const line = changed.length === 0 ? '' : `#, ${changed.join(', ')}${this.#lineEnd}`;
    if (flagLine && needsReview !== flags.includes('fuzzy')) edits.push({ ...flagLine, text: line });
    if (!flagLine && needsReview) {
      const at = this.#text.lastIndexOf(context ? 'msgctxt' : 'msgid', (context ?? id).start);
      edits.push({ start: Math.max(at, start), end: Math.max(at, start), text: line });
    }
    for (const range of needsReview ? [] : previous) edits.push({ ...range, text: '' });
    return edits;
  }

  /** Returns the changes of the header's fields `Language` and `Plural-Forms`. */
  headerEdits({ translations: [value], plural }: PoEntry): Edit[] {
    const targetLanguage = this.#language;
    if (!value || plural || targetLanguage === undefined) return [];
    const wanted = new Map([['Language', targetLanguage.replace('-', '_')]]);
    if (this.#pluralForms !== undefined) wanted.set('Plural-Forms', this.#pluralForms);
    let text = value.text;
    for (const [name, content] of wanted) {
      const field = new RegExp(`^${name}:.*$`, 'im');
      const old = this.#fields.get(name.toLowerCase());
      if (name === 'Language' && old !== undefined && isSame(old.replace('_', '-'), targetLanguage)) continue;
      text = field.test(text)
        ? text.replace(field, () => `${name}: ${content}`)
        : `${text.replace(/\n?$/, '\n')}${name}: ${content}\n`;
    }
    return text === value.text
      ? []
      : [{ start: value.start, end: value.end, text: quotePo(text, this.#lineEnd) }];
  }
}
