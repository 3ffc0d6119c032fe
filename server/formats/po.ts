import { canonicalLanguage, type LanguageCode, languageDirection } from '#server/languages.ts';
import { type FileText, type KeptTexts, uniqueNames } from './existing-target.ts';
import { FileError } from './file-error.ts';
import { hasIcuChoice } from './messages/icu.ts';
import { poPluralsOf } from './messages/plural-forms.ts';
import { areDoubled, hasQuoting } from './messages/quoting.ts';
import { reasonToKeep } from './messages/strings.ts';
import type { Edit } from './office/splice.ts';
import { type PoEntry, parsePo } from './po/parser.ts';
import {
  explicitId,
  isSame,
  type KeptText,
  type PoSource,
  PoWriter,
  pluralCount,
  readHeader,
} from './po/writer.ts';
import { type TextOptions, type TextPlace, type TextPlaces, textFormat } from './text-file.ts';
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
  // Some tools fill a new catalog with its sources.
  const isCopy = entries.every((entry) => isUntranslated(entry));
  const hasKeys = sourceField ? sourceField === 'msgstr' : areKeys(entries);
  const isKey = (entry: PoEntry) => hasKeys || (!sourceField && hasExplicitId(entry));
  const sources = entries.map((entry) =>
    sourceOf(entry, isOfSource || (!isTranslated && isKey(entry)), sourceLanguage),
  );
  const plain = sources.flatMap(({ forms }) => (forms.size === 1 ? [forms.get('other')!] : []));
  const isIcu = plain.some((source) => hasIcuChoice(source) || hasQuoting(source));
  const quoting = isIcu ? (areDoubled(plain) ? 'doubled' : 'optional') : undefined;
  const keptHeader = existing?.get('')?.text;
  const existingForms = pluralCount(readHeader(keptHeader ?? ''));
  const writer = new PoWriter(text, fields, {
    sourceLanguage,
    targetLanguage,
    isTarget: isTranslated,
    existingForms,
    quoting,
  });
  const language = targetLanguage === undefined ? undefined : canonicalLanguage(targetLanguage);
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
      !isCopy &&
      !source.isTranslation &&
      !entry.flags.includes('fuzzy') &&
      entry.translations.every((one) => one.text !== '');
    const hasText = source.isTranslation || !isKey(entry);
    const texts = writer.textsOf(entry, source, unique, isDone);
    listed.push(texts);
    const names = entry.plural ? texts.names.slice(0, writer.formCount) : texts.names;
    const before = keptForms(entry, names, existing, isDone);
    const written = before.every((one) => one !== undefined) ? before : undefined;
    const setting = !isDone && !written && language ? settingFor(entry, language) : undefined;
    if (written) always.push(...writer.keptEdits(entry, written));
    if (setting !== undefined) always.push(...writer.keptEdits(entry, [{ text: setting }]));
    const isText = hasText && !isReserved(entry);
    const reason = isDone || written ? 'translated_before' : isText ? reasonToKeep(own) : 'identifier';
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

const isSamePrimary = (one: string, other: string) => isSame(one.split('-')[0]!, other.split('-')[0]!);

/** Whether the translations of an entry are empty or copies of its source. */
function isUntranslated({ id, plural, translations }: PoEntry): boolean {
  return translations.every(({ text }) => text === '' || text === id.text || text === plural?.text);
}

function requireUtf8(fields: ReadonlyMap<string, string>): void {
  const [, charset] = /charset=([\w-]+)/i.exec(fields.get('content-type') ?? '') ?? [];
  if (charset === undefined || /^(?:utf-?8|us-ascii|ascii|charset)$/i.test(charset)) return;
  throw new FileError(
    'not_text',
    `the file must be in UTF-8, but its header declares ${charset}; convert it with msgconv -t UTF-8`,
  );
}

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

/*
 * Entries that are not texts: a toolkit reads a setting from the translation, as GTK the direction from `default:LTR`, or
 * translators write their names into it.
 */

const settings = /^(?:default|predefined|calendar):[\w:%-]+$|^(?:QT_LAYOUT_DIRECTION|html_lang_attribute)$/;
const credits =
  /^translators?[-_ ]credits?$|^(?:names?|e-?mails?|roles?|credits?)[_ ](?:of|for)[_ ]translators?\b/i;
const contexts = /^(?:calendar|default):|\bdo not translate\b|^text direction$/i;
/** A figure of a page that itstool has read. */
const figure = /^external ref='[^']*' md5='[^']*'$/;

/** Whether the text of an entry stays. */
function isReserved({ id, context }: Pick<PoEntry, 'id' | 'context'>): boolean {
  const about = context?.text ?? '';
  return (
    settings.test(id.text) ||
    credits.test(id.text.replace(/^_:\s*/, '')) ||
    credits.test(about) ||
    contexts.test(about) ||
    figure.test(id.text)
  );
}

/** Returns the value of a setting that depends on the language; undefined for other entries, which have no translation. */
function settingFor(
  { id, context }: Pick<PoEntry, 'id' | 'context'>,
  language: LanguageCode,
): string | undefined {
  const direction = languageDirection(language);
  if (id.text === 'default:LTR') return direction === 'rtl' ? 'default:RTL' : undefined;
  if (id.text === 'QT_LAYOUT_DIRECTION') return direction.toUpperCase();
  if (id.text === 'html_lang_attribute') return language;
  return context?.text === 'text direction' && /^(?:ltr|rtl)$/i.test(id.text) ? direction : undefined;
}
