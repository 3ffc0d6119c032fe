import { decodeText } from '../html/character-references.ts';
import { isVisibleAttribute } from '../html/visible-attributes.ts';
import {
  isCodeValue,
  isProse,
  isTextAttribute,
  type OwnNames,
  proseOfCode,
} from '../markup/visible-names.ts';
import type { Range } from './parse.ts';

/*
 * Texts in attributes: of components, of elements of HTML, of shortcodes, and of directives and other Markdown with braces
 * after it, such as `![](wall.png){fig-alt="A wall"}`. The name of an attribute decides whether its value is a text.
 */

export interface AttributeText extends Range {
  name: string;
  text: string;
  /** The quote around the value; empty without one. */
  quote: string;
  write(text: string): string;
}

export interface AttributeTexts {
  texts: AttributeText[];
  /** Values that readers can see, but that stay. */
  kept: string[];
}

/** How a value is written: with references of characters, as a string of a program, or without an escape. */
type Syntax = 'references' | 'string' | 'plain';

/** An attribute with its value, and expressions in braces, which contain no attributes. */
const attribute =
  /\{(?:[^{}]|\{[^{}]*\})*\}|([@:#.\w-]+)[ \t\r\n]*=[ \t\r\n]*(?:("[^"]*"|'[^']*')|([^\s"'<>=`{}]+))|("[^"\n]*"|`[^`\n]*`)/g;

/** Tags, and what only looks like a tag. */
const tags =
  /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1|$)|<([A-Za-z][\w.:-]*)((?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^"'<>{}])*)>/gi;

/** Finds the texts of attributes in tags of HTML and components, as Markdown without MDX has them. */
export function attributesOfTags(source: string, { start, end }: Range, names: OwnNames): AttributeTexts {
  const found: AttributeTexts = { texts: [], kept: [] };
  for (const { index, 0: tag, 2: name, 3: rest } of source.slice(start, end).matchAll(tags)) {
    if (!name || !rest?.includes('=') || /\stranslate\s*=\s*["']?no\b/i.test(rest)) continue;
    const from = start + index + 1 + name.length;
    const own = (other: string) =>
      new RegExp(`\\s${other}\\s*=\\s*["']?([\\w:.-]+)`, 'i').exec(rest)?.[1] ?? '';
    const isText = (attributeName: string, value: string) =>
      isComponent(name)
        ? isTextAttribute(attributeName, names)
        : isVisibleAttribute(name.toLowerCase(), { name: attributeName.toLowerCase(), value }, own, names);
    read(
      source,
      { start: from, end: start + index + tag.length - 1 },
      { syntax: 'references', isText, found },
    );
  }
  return found;
}

/** Finds the texts of attributes in a shortcode, or in the braces after Markdown. */
export function attributesOfCode(source: string, range: Range, names: OwnNames): AttributeTexts {
  const found: AttributeTexts = { texts: [], kept: [] };
  const written = source.slice(range.start, range.end);
  if (!/["=]/.test(written)) return found;
  const isShortcode = /^\{\{[<%]/.test(written);
  // A list of attributes has the same braces as an expression.
  const before = /^(?:\{\{[<%]|\{%|[^{}"=]*\{)/.exec(written)?.[0].length ?? 0;
  const inner = { start: range.start + before, end: range.end };
  read(source, inner, {
    syntax: isShortcode ? 'string' : 'plain',
    isText: (name) => isTextAttribute(name, names),
    found,
    hasValues: isShortcode || written.startsWith('{%'),
  });
  return found;
}

/** Finds the texts after the first fence of code, and in the options of a cell of Quarto: `#| fig-cap: A wall`. */
export function attributesOfFence(source: string, range: Range, names: OwnNames): AttributeTexts {
  const written = source.slice(range.start, range.end);
  const [first = ''] = /^(?:`{3,}|~{3,})[^\r\n]*/.exec(written) ?? [];
  const found = attributesOfCode(source, { start: range.start, end: range.start + first.length }, names);
  if (!/^.{3,}?\{/.test(first)) return found;
  const options = /^([ \t>]*(?:#|\/\/|--|%%)\|[ \t]+)([\w-]+:[ \t]+[^\r\n]*?)[ \t]*$/gm;
  for (const { index, 1: signs = '', 2: line = '' } of written.matchAll(options)) {
    const start = range.start + index + signs.length;
    const { texts, kept } = textOfOption(source, { start, end: start + line.length }, names);
    found.texts.push(...texts);
    found.kept.push(...kept);
  }
  return found;
}

const option = /^(:?([\w-]+):[ \t]+)(?:"([^"\\]*)"|'([^'\\]*)'|([^\s"'|>&*!#%@`[{].*))$/;

/** Finds the text of an option of a directive: `:alt: A wall`, or a line of YAML. */
export function textOfOption(source: string, { start, end }: Range, names: OwnNames): AttributeTexts {
  const found: AttributeTexts = { texts: [], kept: [] };
  const [, before = '', name = '', double, single, plain] = option.exec(source.slice(start, end)) ?? [];
  const text = (double ?? single ?? plain ?? '').trim();
  // A label of MyST and Quarto is an identifier.
  if (text === '' || name === 'label' || !isTextAttribute(name, names)) return found;
  if (isCodeValue(text)) found.kept.push(text);
  else {
    // After a colon, quotes are a part of the text, and nothing has another meaning.
    const isYaml = !before.startsWith(':');
    const from = start + before.length;
    const write = (target: string) => (isYaml ? JSON.stringify(oneLine(target)) : oneLine(target));
    const own = isYaml ? text : source.slice(from, end).trim();
    found.texts.push({ start: from, end, name, text: own, quote: isYaml ? '"' : ':', write });
  }
  return found;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** An attribute of a component in MDX. */
export interface MdxAttribute {
  name?: string;
  value?: unknown;
  position?: { start: { offset?: number | undefined }; end: { offset?: number | undefined } } | undefined;
}

/** Finds the texts of attributes of an element of MDX. A value in braces is a text if it is only a string. */
export function attributesOfMdx(
  source: string,
  element: string | null | undefined,
  attributes: readonly MdxAttribute[],
  names: OwnNames,
): AttributeTexts {
  const found: AttributeTexts = { texts: [], kept: [] };
  const own = (other: string) => {
    const value = attributes.find(({ name }) => name === other)?.value;
    return typeof value === 'string' ? value : '';
  };
  if (own('translate') === 'no') return found;
  for (const { name = '', value, position } of attributes) {
    const [start, end] = [position?.start.offset, position?.end.offset];
    if (start === undefined || end === undefined || value === null || value === undefined) continue;
    const isText = (attributeName: string, plain: string) =>
      isComponent(element ?? '')
        ? isTextAttribute(attributeName, names)
        : isVisibleAttribute(element ?? '', { name: attributeName, value: plain }, own, names);
    if (typeof value === 'string') {
      read(source, { start, end }, { syntax: 'references', isText, found });
      continue;
    }
    const written = source.slice(start, end);
    const string = /=\s*\{\s*((["'`])((?:(?!\2)[^\\\r\n$])*)\2)\s*\}$/.exec(written);
    if (string && isText(name, string[3]!)) {
      const from = start + string.index + string[0].indexOf(string[1]!);
      add(source, { start: from, end: from + string[1]!.length }, { name, syntax: 'string', found });
    } else found.kept.push(...proseOfCode(written, /^(?:items|tabs|labels|options)$/.test(name)));
  }
  return found;
}

/** Whether an element is a component, and no element of HTML. */
const isComponent = (name: string): boolean => /[A-Z.:-]/.test(name);

interface Reading {
  syntax: Syntax;
  isText(name: string, value: string): boolean;
  found: AttributeTexts;
  /** Whether values without a name are read. They stay. */
  hasValues?: boolean;
}

function read(source: string, range: Range, { syntax, isText, found, hasValues = false }: Reading): void {
  for (const match of source.slice(range.start, range.end).matchAll(attribute)) {
    const { index, 0: whole, 1: name, 2: quoted, 3: unquoted, 4: value } = match;
    const start = range.start + index;
    if (value !== undefined && hasValues && isProse(value)) found.kept.push(value.slice(1, -1));
    const written = quoted ?? unquoted;
    if (!name || written === undefined || /^(?:[:@#.]|v-)/.test(name)) continue;
    if (!/\s|^$|\{/.test(source[start - 1] ?? '') || !isText(name, written.replace(/^["']|["']$/g, '')))
      continue;
    const from = start + whole.length - written.length;
    if (quoted || syntax === 'references')
      add(source, { start: from, end: from + written.length }, { name, syntax, found });
  }
}

function add(
  source: string,
  { start, end }: Range,
  { name, syntax, found }: { name: string; syntax: Syntax; found: AttributeTexts },
): void {
  const written = source.slice(start, end);
  const quote = /^["'`]/.exec(written)?.[0] ?? '';
  const raw = written.slice(quote.length, written.length - quote.length);
  const text = oneLine(syntax === 'references' ? decodeText(raw) : raw);
  if (text === '') return;
  // A line end with the prefix of a quote, or with an escape, is not known here.
  if (isCodeValue(text) || /[\r\n][ \t]*>/.test(raw) || (syntax !== 'references' && raw.includes('\\'))) {
    found.kept.push(text);
    return;
  }
  found.texts.push({
    start,
    end,
    name,
    text,
    quote,
    write: (plain) => writtenValue(plain, quote || '"', syntax, raw),
  });
}

/** Writes a value with its quotes. */
function writtenValue(plain: string, quote: string, syntax: Syntax, raw: string): string {
  const text = oneLine(plain);
  if (syntax === 'references') {
    const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
    return quote + escaped.replaceAll(quote, quote === '"' ? '&quot;' : '&#39;') + quote;
  }
  if (syntax === 'string') return quote + text.replace(/[\\$]|["'`]/g, escapeFor(quote)) + quote;
  // These values have no escapes, and new braces would end them.
  const plainText = /[{}]/.test(raw) ? text : text.replaceAll('{', '(').replaceAll('}', ')');
  if (!plainText.includes(quote)) return quote + plainText + quote;
  const other = quote === '"' ? "'" : '"';
  return plainText.includes(other)
    ? quote + plainText.replaceAll(quote, quote === '"' ? '”' : '’') + quote
    : other + plainText + other;
}

const escapeFor =
  (quote: string) =>
  (sign: string): string =>
    sign === '\\' || sign === quote || (sign === '$' && quote === '`') ? `\\${sign}` : sign;
