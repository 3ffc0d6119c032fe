import type { Finding } from '../document.ts';
import { type FileText, type KeptTexts, uniqueNames } from '../existing-target.ts';
import { type InlineContent, plainText } from '../inline-content.ts';
import type { Edit } from '../office/splice.ts';
import {
  placeOfLine,
  type TextPlace,
  type TextPlaces,
  type TextSegment,
  type TextTarget,
} from '../text-file.ts';
import { type BarOptions, readBars } from './bars.ts';
import { readChoices } from './choice-format.ts';
import type { Message } from './choices.ts';
import { hasIcuChoice, type Quoting, readIcu } from './icu.ts';
import { declaredTag } from './language-tags.ts';
import { categoriesOf, describeForm, type PluralType, sourceOfForm } from './plural-forms.ts';
import { areDoubled, hasQuoting, readQuoted } from './quoting.ts';

/*
 * The strings of a program's user interface, whatever the syntax of their file: what is translated, and how messages with
 * plural forms are.
 */

/** A string of a file. */
export interface StringEntry {
  /** The key as readers of the file know it, such as `menu.open`. */
  key: string;
  /** The name by which a translation has the string, if that is not the key. Backslashes of keys are escaped. */
  name?: string;
  text: string;
  /** The number of the line, from 1. */
  line: number;
  /** The comment of a developer on the string. */
  comment?: string | undefined;
  /** Set for a message of a file whose other texts may be none: how it quotes. */
  quoting?: Quoting | undefined;
  /** Why the string is not translated, as the name of a reason in a receipt, if the format decides so. */
  keep?: string | undefined;
  /** Returns the change that replaces the string. A format that can mark texts for review also changes the mark. */
  write(text: string, needsReview?: boolean): Edit | Edit[];
}

/** The plural forms of one message, each of which is a string of the file. */
export interface PluralEntry {
  key: string;
  type: PluralType;
  /** The forms by category. */
  forms: ReadonlyMap<string, StringEntry>;
  /** Returns the categories of the forms of a language; by default those of the CLDR. */
  formsIn?(language: string): readonly string[];
  /** Returns the name by which a translation has a form. Backslashes of keys are escaped. */
  nameOf?(category: string): string;
  /** Returns the changes that leave the file with these forms. */
  write(forms: ReadonlyMap<string, string>, needsReview: boolean): Edit[];
}

interface StringOptions {
  /** Without it, values that declare the language of the file are texts. */
  sourceLanguage?: string | undefined;
  targetLanguage?: string | undefined;
  kept?: KeptTexts | undefined;
  /** How the texts quote in messages, and whether all are messages; by default as the texts show. */
  quoting?: Quoting | undefined;
  areMessages?: boolean | undefined;
  /** How texts have plural forms between bars; without it, none has. */
  bars?: BarOptions;
}

const isPlural = (entry: StringEntry | PluralEntry): entry is PluralEntry => 'forms' in entry;

/**
 * Returns the places of strings. If one of them has a choice in the syntax of ICU, or quotes, all are read as ICU messages.
 * Otherwise, a text may have plural forms between bars.
 *
 * @param entries in the order of the file
 */
export function placesOfStrings(
  entries: readonly (StringEntry | PluralEntry)[],
  options: StringOptions = {},
): Required<Pick<TextPlaces, 'always' | 'kept' | 'places' | 'texts'>> {
  const places: TextPlace[] = [];
  const kept: { reason: string; text: string }[] = [];
  const always: Edit[] = [];
  const all: FileText[] = [];
  const unique = uniqueNames();
  const own = entries.flatMap((entry) => (isPlural(entry) ? [] : [entry.text]));
  const isIcu = options.areMessages ?? own.some((text) => hasIcuChoice(text) || hasQuoting(text));
  const { quoting = isIcu && areDoubled(own) ? 'doubled' : 'optional' } = options;
  for (const entry of entries) {
    if (isPlural(entry)) {
      const texts = [...entry.forms.values()].map(({ text }) => ({ reason: reasonToKeep(text), text }));
      const nameOf = namesOfForms(entry, options, unique);
      const { place, names, existing } = placeOfForms(entry, options, nameOf);
      all.push(textOfForms(entry, names, nameOf));
      if (place.segments.length === 0) {
        kept.push(...texts.map(({ text }) => ({ reason: 'translated_before', text })));
        always.push(...entry.write(existing, false));
      } else if (texts.some(({ reason }) => reason === null)) places.push(place);
      else kept.push(...texts.map(({ reason, text }) => ({ reason: reason!, text })));
      continue;
    }
    const plain = entry.name ?? entry.key.replaceAll('\\', '\\\\');
    const name = unique([plain])(plain);
    all.push({
      place: placeOfLine(entry.line, entry.key),
      source: entry.text,
      names: [name],
      own: [{ name, text: entry.text }],
    });
    const existing = options.kept?.get(name);
    const language = existing ? undefined : declaredTag(entry.key, entry.text, options);
    const reason = existing
      ? 'translated_before'
      : language !== undefined || isOwnKey(entry)
        ? 'identifier'
        : (entry.keep ?? reasonToKeep(entry.text));
    if (existing) always.push(...[entry.write(existing.text, existing.isDraft)].flat());
    if (language !== undefined) always.push(...[entry.write(language)].flat());
    if (reason) kept.push({ reason, text: entry.text });
    else {
      const message = messageIn(entry.text, isIcu ? quoting : undefined, options, entry.quoting);
      const place = message ? placeOfMessage(entry, message) : placeOfText(entry);
      if (place.segments.length > 0) places.push(place);
      else kept.push({ reason: 'code', text: entry.text });
    }
  }
  return { places, kept, always, texts: () => ({ all }) };
}

/**
 * Returns the message that a text is; null for a text without choices, plural forms and quotes.
 *
 * @param quoting how ICU messages quote, if the texts are such messages
 * @param own how the text quotes, if it is known to be a message
 */
export function messageIn(
  text: string,
  quoting: Quoting | undefined,
  { targetLanguage, bars }: Pick<StringOptions, 'targetLanguage' | 'bars'>,
  own?: Quoting,
): Message | null {
  const choices = readChoices(text);
  if (choices) return choices;
  const forms = bars && !quoting ? readBars(text, targetLanguage, bars) : null;
  if (forms) return own ? withQuotes(forms, own) : forms;
  const read = own ?? quoting;
  return (read && readIcu(text, targetLanguage, read)) ?? (own ? readQuoted(text) : null);
}

/** Returns a message each of whose texts is read as a message that quotes. */
function withQuotes({ texts, write }: Message, quoting: Quoting): Message {
  const inner = texts.map(({ text }) => readIcu(text, undefined, quoting) ?? readQuoted(text));
  return {
    texts: texts.map((one, at) => ({ ...one, text: inner[at]!.texts[0]!.text })),
    write: (translations) => write(translations.map((text, at) => inner[at]!.write([text]))),
  };
}

/** Whether a text is its own key, such as `home.title`: a program has found no text for it. */
function isOwnKey({ key, text }: StringEntry): boolean {
  return /^[\w$-]+(?:[.:][\w$-]+)+$/.test(text) && (key === text || key.endsWith(`.${text}`));
}

type NameOf = (category: string) => string;

/** Returns a function that gives each form of an entry its name. */
function namesOfForms(
  entry: PluralEntry,
  { targetLanguage }: StringOptions,
  unique: ReturnType<typeof uniqueNames>,
): NameOf {
  const { key, forms } = entry;
  const nameOf: NameOf = (category) =>
    entry.nameOf?.(category) ?? `${key.replaceAll('\\', '\\\\')}\\.${category}`;
  const wanted = targetLanguage ? wantedForms(entry, targetLanguage) : [];
  const numbered = unique([...new Set([...forms.keys(), ...wanted])].map(nameOf));
  return (category) => numbered(nameOf(category));
}

function textOfForms({ key, forms }: PluralEntry, names: readonly string[], nameOf: NameOf): FileText {
  const [first] = forms.values();
  return {
    place: placeOfLine(first!.line, key),
    source: JSON.stringify([...forms].map(([category, { text }]) => [category, text])),
    names,
    own: [...forms].map(([category, { text }]) => ({ name: nameOf(category), text })),
  };
}

const url = /^[a-z][a-z0-9+.-]*:\/\/\S+$|^(?:mailto|tel):\S+$|^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i;
const placeholders =
  /<%(?:(?!%>|<%)[\s\S])*%>|\{%(?:(?!%\}|\{%)[\s\S])*%\}|%(?:\d+\$)?#@[^@\s]+@|%arg\b|\{\{[^{}]*\}\}|\$?\{(?![^{}]*,\s*choice\s*,)[^{}]*\}|%\{[^{}]*\}|%\([^)]*\)[a-z]|%(?:\d+\$)?[-+ 0]*\d*(?:\.\d+)?(?:l{1,2}|h{1,2})?[a-z@]|\$t\([^)]*\)|@(?:\.[a-z]+)?:(?:\{[^{}]*\}|\([^()]*\)|[\w.|-]+)|<\/?[a-z][^<>]*>/gi;
const identifier = /^[a-z0-9]+(?:_[a-z0-9]+)+$|^#[0-9a-f]{3,8}$/i;

/** Returns why a string is not translated, as the name of a reason in a receipt; null if it is. */
export function reasonToKeep(text: string): string | null {
  const trimmed = text.trim();
  if (!/\p{L}/u.test(trimmed)) return 'number';
  if (url.test(trimmed)) return 'address';
  if (identifier.test(trimmed)) return 'identifier';
  return /\p{L}/u.test(trimmed.replace(placeholders, '')) ? null : 'code';
}

function segmentOf(
  { key, line, comment }: Pick<StringEntry, 'key' | 'line' | 'comment'>,
  text: string,
  { variant, note }: { variant?: string | undefined; note?: string | undefined } = {},
): TextSegment {
  const context = [comment, note].filter(Boolean).join('; ');
  return {
    kind: 'text_block',
    place: placeOfLine(line, key),
    ...(context !== '' && { context }),
    ...(variant !== undefined && { variant }),
    source: contentOf(text),
  };
}

/** Returns a text as the content of a segment, without the white space around it. */
function contentOf(text: string): InlineContent {
  return [text.trim()];
}

/** Puts the white space around a source around its translation. */
export function withSpaceOf(source: string, target: InlineContent): string {
  const trimmed = source.trim();
  const start = source.indexOf(trimmed);
  return source.slice(0, start) + plainText(target) + source.slice(start + trimmed.length);
}

function placeOfText(entry: StringEntry): TextPlace {
  return {
    segments: [segmentOf(entry, entry.text)],
    original: entry.text,
    write: ([one]) => [entry.write(withSpaceOf(entry.text, one!.target), one!.needsReview)].flat(),
  };
}

const needReview = (targets: readonly TextTarget[]) => targets.some(({ needsReview }) => needsReview);

/** Returns the finding about a message with too many plural forms. */
export const formsOfSource = (place: string): Omit<Finding, 'unitId'> => ({
  severity: 'warning',
  code: 'unsupported_content_kept',
  message: `${place}: the message has plural forms within plural forms, and too many in the target language, so it keeps the forms of the source`,
});

/** Returns a message whose texts have words. Its other texts stay, and so does the white space around each. */
export function withWords({ texts, write, ...message }: Message): Message {
  const filled = new Set(texts.filter(({ text }) => reasonToKeep(text) === null));
  return {
    ...message,
    texts: [...filled],
    write: (translations) => {
      const rest = translations.values();
      return write(
        texts.map((one) => (filled.has(one) ? withSpaceOf(one.text, [rest.next().value!]) : one.text)),
      );
    },
  };
}

/** Returns the place of a message. It has no segments if the message has no words. */
export function placeOfMessage(entry: StringEntry, message: Message): TextPlace {
  const { texts, write, hasFormsOfSource } = withWords(message);
  return {
    segments: texts.map(({ text, ...form }) => segmentOf(entry, text, form)),
    original: entry.text,
    write: (targets) =>
      [entry.write(write(targets.map(({ target }) => plainText(target))), needReview(targets))].flat(),
    ...(hasFormsOfSource && { check: () => [formsOfSource(placeOfLine(entry.line, entry.key))] }),
  };
}

/**
 * Returns the place of plural forms: the forms of the target language, or of the source without one. Forms of an existing
 * translation are in no segment, and are written with the others.
 */
function placeOfForms(
  entry: PluralEntry,
  { targetLanguage, kept }: StringOptions,
  nameOf: NameOf,
): { place: TextPlace; names: string[]; existing: ReadonlyMap<string, string> } {
  const { key, type, forms, write } = entry;
  const texts = new Map([...forms].map(([category, { text }]) => [category, text]));
  const all = targetLanguage ? wantedForms(entry, targetLanguage) : [...forms.keys()];
  const existing = new Map(
    all.flatMap((category) => {
      const text = kept?.get(nameOf(category))?.text;
      return text === undefined ? [] : [[category, text]];
    }),
  );
  const categories = all.filter((category) => !existing.has(category));
  const sources = categories.map((category) =>
    targetLanguage ? sourceOfForm(texts, category, targetLanguage, type) : texts.get(category)!,
  );
  const [first] = forms.values();
  const place: TextPlace = {
    segments: categories.map((category, at) => {
      const { line, comment } = forms.get(category) ?? first!;
      const note = describeForm(targetLanguage ?? 'en', category, type);
      return segmentOf({ key, line, comment }, sources[at]!, { variant: `${type} ${category}`, note });
    }),
    original: [...texts.values()].join(''),
    write: (targets) =>
      write(
        new Map(
          all.map((category) => {
            const at = categories.indexOf(category);
            return [category, existing.get(category) ?? withSpaceOf(sources[at]!, targets[at]!.target)];
          }),
        ),
        needReview(targets),
      ),
  };
  return { place, names: all.map(nameOf), existing };
}

/** Returns the categories of the target language, and `zero` if the source has a text for it: frameworks use it for 0. */
function wantedForms({ forms, type, formsIn }: PluralEntry, language: string): readonly string[] {
  if (formsIn) return formsIn(language);
  const categories: string[] = [...categoriesOf(language, type)];
  return forms.has('zero') && !categories.includes('zero') ? ['zero', ...categories] : categories;
}
