import type { Token } from 'parse5';
import { canonicalLanguage, type LanguageCode, languageDirection, readLanguage } from '#server/languages.ts';
import type { SegmentKind } from './document.ts';
import { type AttributeText, type MarkupTexts, readBlocks } from './html/block-reader.ts';
import { type Signs, signsOf, signWriter } from './html/character-references.ts';
import { readConditionalComments, shifted } from './html/conditional-comments.ts';
import { codesWithin, itemsOfText } from './html/text-items.ts';
import { type InlineContent, type InlineTag, joinStrings, plainText } from './inline-content.ts';
import { keyOfTag, type Run, runsOf } from './markup/inline-runs.ts';
import { type MarkupText, placesOfMarkup } from './markup/markup-places.ts';
import { type OwnNames, proseOfCode, readOwnNames } from './markup/visible-names.ts';
import { hasIcuChoice, readIcu } from './messages/icu.ts';
import { InlineCodes, marksIn, withoutMarks } from './messages/inline-codes.ts';
import { isTagOf } from './messages/language-tags.ts';
import { placeOfMessage } from './messages/strings.ts';
import type { Edit } from './office/splice.ts';
import { type TextOptions, type TextPlace, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';
import { encodingEdits } from './xml/xml-nodes.ts';

/**
 * HTML and XHTML pages, and fragments of them. A segment is the text of a block with its inline elements, or an attribute
 * that readers see. Code, `pre`, templates and everything under `translate="no"` stay. The element `html`
 * declares the language and direction of the translation, and so do `meta` elements and other elements that declare the
 * language of the source.
 *
 * @throws {FileError} `not_text`, `unreadable` or `too_large`
 */
export const { check, extract, rebuild, texts } = textFormat(findTexts);

function findTexts(source: string, options: TextOptions): TextPlaces {
  const names = readOwnNames(options.ownNames);
  const page = readBlocks(source, options.sourceLanguage, names);
  const readPart = (html: string) => readBlocks(html, options.sourceLanguage, names, true);
  const markups = [page, ...readConditionalComments(source, page.comments, readPart)];
  const writer = writerFor(source, page);
  const { texts, kept } = textsOfBlocks(source, markups, writer);
  const prose = page.templateCode.flatMap(({ start, end }) => proseOfTemplate(source.slice(start, end)));
  kept.push(...prose.map((text) => ({ reason: 'code', text })));
  const declarations = outsideOf(texts, page.declarations);
  for (const markup of markups)
    for (const attribute of markup.attributes)
      texts.push(...textsOfAttribute(source, attribute, markup, writer));
  const found = placesOfMarkup(source, texts, options.kept);
  return {
    ...found,
    places: found.places.map((place) => placeOfIcuText(place, options.targetLanguage)),
    kept: [...kept, ...found.kept],
    characters:
      markups.reduce((sum, { characters }) => sum + characters, 0) +
      prose.reduce((sum, text) => sum + countCharacters(text), 0),
    always: [...found.always, ...declaredLanguage(source, declarations, options), ...encodingEdits(source)],
  };
}

/** Returns the strings of template code that readers can see, such as the arguments of `{% trans "Sign in here" %}`. They stay. */
const proseOfTemplate = (code: string): string[] =>
  /^(?:\{#|<%[#-]{1,2}#?|\{\{[!-]*(?:!|\/\*|--)|\{%-?\s*(?:comment|include|extends|load)\b)/.test(code)
    ? []
    : proseOfCode(code);

interface BlockTexts {
  texts: MarkupText[];
  kept: { reason: string; text: string }[];
}

function textsOfBlocks(source: string, markups: readonly MarkupTexts[], writer: HtmlWriter): BlockTexts {
  const texts: MarkupText[] = [];
  const kept = markups.flatMap((markup) => markup.kept);
  for (const { kind, syntax, items } of markups.flatMap(({ blocks }) => blocks)) {
    const found = runsOf(items);
    kept.push(...found.kept);
    const role = syntax === '' ? kind : `${kind} in ${syntax}`;
    for (const run of found.runs)
      if (isProgram(source, run)) kept.push({ reason: 'code', text: plainText(run.source) });
      else texts.push({ ...textOfRun(run, kind, '', writer.text, writer), role });
  }
  return { texts, kept };
}

/** The innermost rules of a style sheet, and its statements. */
const styleRules =
  /[^{};<]{1,200}\{\s*(?:[\w-]{1,40}\s*:[^{}<;]{0,300}(?:;\s*|(?=\})))*\}|@[\w-]{1,40}[^{};<]{0,200};/g;
/** The start of a block for a program, as in Django and Shopify. */
const programBlock =
  /\{%-?\s*(?:block\s+(?:\w+_)?(?:css|js|(?:java)?scripts?|styles?|stylesheets?)(?:_\w+)?|style|stylesheet|javascript|schema)\s*-?%\}\s*$/;

/** Whether a text is a style sheet or a script that a template puts into an element of another file. */
function isProgram(source: string, { start, source: content }: Run): boolean {
  const text = plainText(content);
  if (!/[{};]/.test(text)) return false;
  if (programBlock.test(source.slice(Math.max(0, start - 300), start))) return true;
  // A sentence may have `{a: b}`.
  if (!/;\s*\}|^[.#@*]?[\w-]+\s*\{/.test(text)) return false;
  let rest = text;
  for (let depth = 0; depth < 3; depth++) rest = rest.replace(styleRules, '');
  return rest.trim() === '';
}

/**
 * Reads a block of HTML in a file of Markdown, without the attributes. Its translations have no line ends, which could end the
 * block.
 */
export function readHtmlBlock(
  source: string,
  { start, end }: { start: number; end: number },
  language: string | undefined,
  names: OwnNames,
): BlockTexts & { characters: number } {
  const markup = shifted(readBlocks(source.slice(start, end), language, names, true), start);
  const writer = writerFor(source, markup);
  const oneLine: Text = (text, signs) => writer.text(text.replace(/\s*[\r\n]\s*/g, ' '), signs);
  const inAttributes = [
    ...markup.attributes.map(({ value }) => value),
    ...markup.kept.map(({ text }) => text),
  ].reduce((sum, value) => sum + countCharacters(value), 0);
  return {
    ...textsOfBlocks(source, [markup], { ...writer, text: oneLine }),
    characters: markup.characters - inAttributes,
  };
}

/** Returns the tags that are in no text. Both lists have the order of the source. */
function outsideOf(texts: readonly MarkupText[], tags: MarkupTexts['declarations']) {
  let at = 0;
  return tags.filter(({ location }) => {
    const start = location!.startOffset;
    while (at < texts.length && texts[at]!.end <= start) at++;
    return at === texts.length || start < texts[at]!.start;
  });
}

/** Writes a text. `signs` are those of its source. */
type Text = (text: string, signs?: Signs) => string;

function textOfRun(
  run: Run,
  kind: SegmentKind,
  name: string,
  textOf: Text,
  { source, hasBlocks }: HtmlWriter,
): MarkupText {
  const isIcu = isIcuText(run.source);
  // The braces of a message are syntax.
  const signs = isIcu ? undefined : signsOf(source.slice(run.start, run.end), hasBlocks);
  return {
    ...run,
    kind,
    name,
    signs,
    write: (target, markupOf) =>
      target
        .map((item, at) => {
          if (typeof item !== 'string') return markupOf(run.tags.get(keyOfTag(item))!);
          const written = textOf(item, signs);
          if (at === target.length - 1 || isIcu) return written;
          // Together with template code in a tag, these signs could begin or escape other code.
          return written.replace(/[{@\\]$/, (sign) => `&#${sign.charCodeAt(0)};`);
        })
        .join(''),
  };
}

function textsOfAttribute(
  source: string,
  { start, end, name, value }: AttributeText,
  { templateCode }: MarkupTexts,
  writer: HtmlWriter,
): MarkupText[] {
  const [before = '', quote = ''] = /^[^=]*=[\t\n\f\r ]*(["']?)/.exec(source.slice(start, end)) ?? [];
  const range = { start: start + before.length, end: end - quote.length };
  const role = `attribute ${name}`;
  if (quote === '') {
    const run = { ...range, source: [value], tags: new Map() };
    const write: Text = (text, signs) => `"${writer.value(text, '"', signs)}"`;
    return [
      {
        ...textOfRun(run, 'text_block', name, write, writer),
        role,
        existing: () => ({ text: value, form: '', write }),
      },
    ];
  }
  // Without a template, the value is known as the parser has decoded it: `&copy=1` contains a reference only in a text.
  const items = itemsOfText(source, range.start, range.end, { templateCode, separator: /$^/g, mode: 'yes' });
  const text = items.find((item) => item.text?.trim());
  const write: Text = (plain, signs) => writer.value(plain, quote, signs);
  const hasCode = codesWithin(templateCode, range.start, range.end).length > 0;
  if (text && !hasCode) text.text = value.trim();
  return runsOf(items).runs.map((run) => ({
    ...textOfRun(run, 'text_block', name, write, writer),
    ...(hasCode
      ? { role: `${role} with code in ${quote}` }
      : { role, existing: () => ({ text: value.trim(), form: quote, write }) }),
  }));
}

/** Writes texts as a file does. Only characters that HTML needs as references are written so. */
interface HtmlWriter {
  text: Text;
  /** @param quote the quote around the value */
  value(text: string, quote: string, signs?: Signs): string;
  source: string;
  /** Whether the file has blocks that begin with `@` (`template-blocks.ts`). */
  hasBlocks: boolean;
}

/**
 * Returns the functions that write texts for a file: with the reference that the file has for no-break spaces, and with
 * references for all characters that the declared encoding of the file may not have.
 */
function writerFor(source: string, { templateCode }: MarkupTexts): HtmlWriter {
  const hasBlocks = templateCode.some(({ start }) => /@[a-z]/i.test(source.slice(start, start + 2)));
  const space = /&(?:nbsp|#160|#xa0);/i.exec(source)?.[0] ?? '\u00a0';
  const [, charset = 'utf-8'] =
    /<meta\s[^>]{0,200}charset\s*=\s*["']?\s*([\w-]+)/i.exec(source.slice(0, 10_000)) ?? [];
  const isUnicode = /^utf-?(?:8|16)/i.test(charset);
  const withReferences = (plain: string): string => {
    const written = plain.replace(/&/g, '&amp;').replace(/</g, '&lt;').replaceAll('\u00a0', space);
    if (isUnicode) return written;
    return written.replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);
  };
  const text: Text = (plain, signs) => signWriter(withReferences, signs)(plain);
  return {
    source,
    hasBlocks,
    text,
    value: (plain, quote, signs) => text(plain, signs).replaceAll(quote, quote === '"' ? '&quot;' : '&#39;'),
  };
}

/*
 * Texts of pages that are ICU messages, as templates of Angular have them: `{files.length, plural, =1 {one file} other
 * {{{files.length}} files}}`. Their elements and template codes are tags.
 */

/** Whether a text has a choice in the syntax of ICU. */
function isIcuText(content: InlineContent): boolean {
  return (
    content.some((item) => typeof item === 'string' && choice.test(item)) &&
    hasIcuChoice(markedText(content).text)
  );
}

/**
 * Returns the place of an ICU message as the place of its texts, and another place as it is. If a message has an element
 * outside of its choices, these keep their places, because Angular has no directives inside of them.
 */
function placeOfIcuText(place: TextPlace, targetLanguage: string | undefined): TextPlace {
  const [segment, ...others] = place.segments;
  if (!segment || others.length > 0 || !isIcuText(segment.source)) return place;
  const { text, codes, tags, restore } = markedText(segment.source);
  const message = readIcu(text, targetLanguage, 'optional', hasElementOutside(segment.source));
  if (!message) return place;
  const write = (written: string, needsReview = false) => [
    ...place.write([{ target: joinStrings(marksIn(restore(written), tags)), needsReview }]),
  ];
  const [own] = codes.tagged({ places: [placeOfMessage({ key: '', line: 0, text, write }, message)] }).places;
  const { kind, place: at } = segment;
  return {
    ...own!,
    original: plainText(segment.source),
    segments: own!.segments.map((form) => ({ ...segment, ...form, kind, place: at })),
  };
}

/** A choice up to its options. The argument can be an expression of Angular, such as `files.length` or `n$ | async`. */
const choice = /\{\s*([^{},]{0,200}[^{},\s])\s*,\s*(plural|select|selectordinal)\s*,/;

/** A text in which a mark stands for each tag, and a name for each argument that ICU does not allow. */
interface MarkedText {
  text: string;
  codes: InlineCodes;
  tags: ReadonlyMap<string, InlineTag>;
  /** Returns a message with the arguments of the source. */
  restore(message: string): string;
}

function markedText(content: InlineContent): MarkedText {
  const codes = new InlineCodes();
  const tags = new Map<string, InlineTag>();
  const openings = new Map<number, string>();
  const marked = content.map((item) => {
    if (typeof item === 'string') return withoutMarks(item);
    const mark = codes.add({ ...item, written: '', opening: openings.get(item.tag) });
    if (item.type === 'open') openings.set(item.tag, mark);
    tags.set(mark, item);
    return mark;
  });
  const names = new Map<string, string>();
  const renamed = (text: string, nameOf: (argument: string) => string) =>
    text.replaceAll(
      new RegExp(choice, 'g'),
      (_, argument: string, type: string) => `{${nameOf(argument)}, ${type},`,
    );
  const joined = marked.join('');
  const text = renamed(joined, (argument) => {
    if (/^[\p{L}\p{N}_]+$/u.test(argument)) return argument;
    let name = argument.replace(/[^\p{L}\p{N}_]+/gu, '_');
    while (joined.includes(name) || (names.get(name) ?? argument) !== argument) name += '_';
    names.set(name, argument);
    return name;
  });
  return { text, codes, tags, restore: (message) => renamed(message, (name) => names.get(name) ?? name) };
}

/** Whether a pair of tags is outside of all braces. */
function hasElementOutside(content: InlineContent): boolean {
  let depth = 0;
  return content.some((item) => {
    if (typeof item !== 'string') return depth === 0 && item.type !== 'void';
    for (const sign of item) depth += sign === '{' ? 1 : sign === '}' ? -1 : 0;
    return false;
  });
}

/**
 * Returns the changes that declare the language of a translation: in the tags of the element `html`, which also declares
 * its direction, and of `meta`, and in other tags that declare the language of the source. A declaration that means
 * the same language stays, such as `en-GB` for `en`.
 */
function declaredLanguage(
  source: string,
  tags: readonly Token.TagToken[],
  { sourceLanguage, targetLanguage: language }: TextOptions,
): Edit[] {
  const code = language === undefined ? undefined : canonicalLanguage(language);
  if (!code) return [];
  return tags.flatMap((tag) => {
    if (tag.tagName === 'html') return declareOnRoot(source, tag, code);
    return tag.tagName === 'meta'
      ? declareInMeta(source, tag, code)
      : declareOnElement(source, tag, sourceLanguage, code);
  });
}

/** Changes the language of an element with that of the source, and its direction or that of the body. */
function declareOnElement(
  source: string,
  tag: Token.TagToken,
  from: string | undefined,
  code: LanguageCode,
): Edit[] {
  const names = ['lang', 'xml:lang'].filter((name) => {
    const declared = attributeOf(tag, name);
    return declared !== undefined && isTagOf(declared, from) && readLanguage(declared) !== code;
  });
  const edits = names.flatMap((name) => replaceValue(source, tag, name, code));
  const direction = languageDirection(code);
  const declared = attributeOf(tag, 'dir')?.toLowerCase();
  const isOther = declared === (direction === 'rtl' ? 'ltr' : 'rtl');
  if (isOther && (names.length > 0 || tag.tagName === 'body'))
    edits.push(...replaceValue(source, tag, 'dir', direction));
  return edits;
}

function declareOnRoot(source: string, root: Token.TagToken, code: LanguageCode): Edit[] {
  const direction = languageDirection(code);
  const edits: Edit[] = [];
  const added: string[] = [];
  const declare = (name: string, value: string): void => {
    if (root.location!.attrs?.[name]) edits.push(...replaceValue(source, root, name, value));
    else added.push(` ${name}="${value}"`);
  };
  for (const name of ['lang', 'xml:lang']) {
    const declared = attributeOf(root, name);
    if (declared === undefined ? name === 'lang' : readLanguage(declared) !== code) declare(name, code);
  }
  const declared = attributeOf(root, 'dir')?.toLowerCase();
  if (direction === 'rtl' ? declared !== 'rtl' : declared === 'rtl') declare('dir', direction);
  const at = root.location!.startOffset + '<html'.length;
  if (added.length > 0) edits.push({ start: at, end: at, text: added.join('') });
  return edits;
}

/** The names of `meta` elements that contain a language. */
const metaNames = new Set([
  'content-language',
  'og:locale',
  'language',
  'dc.language',
  'dcterms.language',
  'inlanguage',
]);

function declareInMeta(source: string, tag: Token.TagToken, code: LanguageCode): Edit[] {
  const name = ['http-equiv', 'property', 'name', 'itemprop']
    .map((attribute) => attributeOf(tag, attribute)?.toLowerCase())
    .find((one) => one !== undefined);
  const declared = attributeOf(tag, 'content')?.trim().replace('_', '-');
  if (
    !name ||
    !metaNames.has(name) ||
    !declared ||
    !readLanguage(declared) ||
    readLanguage(declared) === code
  )
    return [];
  // Open Graph requires a country.
  const { language, region } = new Intl.Locale(code).maximize();
  return replaceValue(source, tag, 'content', name === 'og:locale' ? `${language}_${region}` : code);
}

const attributeOf = (tag: Token.TagToken, name: string): string | undefined =>
  tag.attrs.find((one) => one.name === name)?.value;

/** Returns the change of the value of an attribute; none if the value may be template code. */
function replaceValue(source: string, tag: Token.TagToken, name: string, value: string): Edit[] {
  const range = tag.location!.attrs?.[name];
  if (!range) return [];
  const { startOffset: start, endOffset: end } = range;
  const written = source.slice(start, end);
  if (/[{<]/.test(written)) return [];
  const [, before, quote] = /^([^=]*=?\s*)(["']?)/.exec(written)!;
  const sign = before!.includes('=') ? before! : `${name}=`;
  return [{ start, end, text: `${sign}${quote || '"'}${value}${quote || '"'}` }];
}
