import { findDelimitedCode } from '../html/template-code.ts';
import { type BlockMark, type ForeignSyntax, findBlocks } from './block-syntax.ts';
import { findNamedMatter } from './front-matter.ts';

/*
 * Syntax that is not part of Markdown, but that site generators add to it. A parser of Markdown would read it as text, and
 * its signs as emphasis. So each range is replaced by a character that the file does not have, and the positions stay.
 */

/** The additional syntax to look for. */
export interface ForeignOptions {
  /** Whether braces and modules are part of the syntax, and comments of HTML are not. */
  isMdx: boolean;
  /** Whether syntax that could also be code of an expression in braces, such as `[[1]]`, stays. */
  isCautious?: boolean;
  /** The starts of blocks that the parser has read as text. */
  ignored?: ReadonlySet<number> | 'all';
}

export interface MaskedSource {
  text: string;
  /** The character in place of the syntax. */
  mask: string;
  ranges: readonly ForeignSyntax[];
  blocks: readonly BlockMark[];
}

/** Formulas between lines with `$$`, each line of which is masked. */
const formulas = /^[ \t>]*\$\$[^`]{0,20000}?\$\$[ \t]*\r?$/gm;
/** Formulas in a sentence. Amounts of money have a space before the second sign, or a digit after it. */
export const formula =
  /(?<![\\$\w])\$(?![\s${])[^$\n`]{0,1000}?(?<![\s\\])\$(?![\w${])|(?<!\\)\$\$[^$\n`]{1,1000}\$\$/g;
/** Identifiers and classes: `{#id}`, `{: .class}`, `{ .class }`, and directly after markup `{target=_blank}`. */
const attributes =
  /(?<!\\)\{(?:[#:]|\.(?!\.)|[ \t]{1,9}[#.][\w-]|[ \t]{0,9}(?:id|class)=|(?<=[\])`*_:>]\{)[ \t]{0,9}[\w-]{1,40}=)[^{}\n`]*\}/g;
/** Attributes whose values have braces or backticks. */
const attributesWithCode =
  /(?<=[\])]|:::[ \t]?)\{(?=[ \t]*(?:[.#][\w-]|[\w-]+=))(?:[^{}\n`"']|"[^"\n]*"|'[^'\n]*'|\{\{[<%][^{}\n]*\}\})*\}/g;
/** Links of wikis to other pages, and embedded files. Only the text after `|` is shown. A link of Markdown can have brackets. */
const wikiLinks = /(?<!\\)(!?)\[\[([^[\]|\n`]+)(?:(\|)([^[\]\n`]+))?\]\](?![([])/g;
/** Texts with attributes, and footnotes in their place: `[text]{.class}`, `^[text]`. The text has no brackets. */
const spans =
  /(?<!\\)(?:(?<=\^)\[([^[\]\n]+)\]|\[([^[\]\n]+)\](?=\{[ \t]{0,9}(?:[#:.]|[\w-]{1,40}=)[^{}\n`]*\}))/g;
/** References to definitions in another file: `[text][page.name]`. */
const references = /(?<![\\\]])\[([^[\]\n]+)\]\[([\w.:/#-]{3,100})\]/g;
const definitions = /^[ \t>]*\[([^[\]\n]+)\]:/gm;
/** Tasks that are neither open nor done: `- [?] text`. */
const tasks = /(?<=^[ \t>]*(?:[-+*]|\d{1,9}[.)])[ \t]{1,4})\[[^\w\s\]\\]\](?=[ \t])/gm;
/** Files that Microsoft's documentation includes. */
const includes = /\[![A-Za-z-]{1,40}[ \t]?\[[^[\]\n]*\]\([^()\n]*\)\]/g;
const comments = /<!--(?:(?!-->)[^\n]){0,1000}-->/g;
/** Shortcodes of Hugo. */
const shortcodes = /\{\{[<%][^{}\n`]*[%>]\}\}/g;
/** The tag of a component with an expression, in a file that is not valid MDX: `<Tabs items={['a', 'b']}>`. */
const components =
  /<[A-Z][\w.]*(?=[^<>]*?=\s*\{)(?:"[^"\n]*"|'[^'\n]*'|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|[^"'<>{}])*>/g;
/** Roles of MyST, which belong to the code after them: ``{ref}`the wall <wall>` ``. */
const roles = /\{[A-Za-z][\w:+.-]{0,40}\}(?=`)/g;
const modules =
  /^(?:import\s[^\n]*?['"][^'"\n]+['"];?|export\s(?:const|default|function)\s[^\n]*)[ \t]*\r?$/gm;

export function maskForeignSyntax(source: string, options: ForeignOptions): MaskedSource {
  const found: ForeignSyntax[] = [];
  const addRange = (index: number, text: string, { separates, ...kind }: Partial<ForeignSyntax>) => {
    // A range has no line end and no prefix of a line, so that the lines stay what they are.
    for (const { index: at, 0: line } of text.matchAll(/[^\r\n]+/g)) {
      const start = index + at + (separates || at > 0 ? /^[ \t>]*/.exec(line)![0].length : 0);
      const end = index + at + line.trimEnd().length;
      if (start < end) found.push({ ...kind, separates, start, end });
    }
  };
  const add = (pattern: RegExp, options: Partial<ForeignSyntax> = {}): void => {
    for (const { index, 0: text } of source.matchAll(pattern)) addRange(index, text, options);
  };
  const matter = findNamedMatter(source);
  // It has no texts.
  if (matter) addRange(0, source.slice(0, matter.end), { separates: true });
  add(formulas, { separates: true });
  add(formula, { isWord: true });
  add(attributes, { isAttribute: true });
  if (options.isMdx) add(comments);
  else {
    add(attributesWithCode, { isAttribute: true });
    add(modules, { separates: true });
    for (const { index, 0: text } of source.matchAll(components)) {
      const isFirst = source.slice(source.lastIndexOf('\n', index) + 1, index).trim() === '';
      addRange(index, text, { separates: isFirst, isWord: !isFirst });
    }
    add(roles, { isWord: true });
    add(shortcodes, { separates: true });
    for (const { start, end, isValue, isBody } of findDelimitedCode(source)) {
      const text = source.slice(start, end);
      // Markdown has its own syntax for code, and for `{#id}`, `{*emphasis*}` and `<?…?>`.
      if (isBody || !/`|\n\s*\n|^<\?|^\{[#/*]/.test(text))
        addRange(start, text, { separates: !isValue, isWord: isValue, ...(isBody && { line: 'code' }) });
    }
  }
  if (!options.isCautious) {
    add(includes);
    add(tasks, { separates: true });
    found.push(...wikiLinksOf(source), ...spansOf(source), ...referencesOf(source));
  }
  const blocks: BlockMark[] = [];
  for (const block of findBlocks(source)) {
    if (!('text' in block)) found.push(block);
    else if (options.isCautious && !block.isNeverCode) continue;
    else if (options.ignored !== 'all' && !options.ignored?.has(block.start)) {
      blocks.push(block);
      found.push(...block.masks);
    } else if (block.isOnlyMarks) found.push({ start: block.start, end: block.lineEnd, separates: true });
  }
  return masked(source, found, blocks);
}

function* wikiLinksOf(source: string): Generator<ForeignSyntax> {
  for (const { index, 0: link, 1: embedded, 2: page, 3: bar } of source.matchAll(wikiLinks)) {
    const end = index + link.length;
    // The text of an embedded file can be its size.
    if (embedded || !bar) yield { start: index, end, isWord: true };
    else yield* pairOf(index, index + `[[${page}|`.length, end - ']]'.length, end);
  }
}

function* spansOf(source: string): Generator<ForeignSyntax> {
  for (const { index, 0: span, 1: footnote } of source.matchAll(spans)) {
    const end = index + span.length;
    const start = footnote === undefined ? index : index - 1;
    // The braces after a text are found as attributes.
    yield* pairOf(start, index + 1, end - 1, end);
  }
}

function* referencesOf(source: string): Generator<ForeignSyntax> {
  const defined = new Set(Array.from(source.matchAll(definitions), ([, label]) => label!.toLowerCase()));
  for (const { index, 0: reference, 1: text, 2: label } of source.matchAll(references)) {
    const end = index + reference.length;
    if (!defined.has(label!.toLowerCase()) && !defined.has(text!.toLowerCase()))
      yield* pairOf(index, index + 1, index + 1 + text!.length, end);
  }
}

function pairOf(start: number, from: number, to: number, end: number): ForeignSyntax[] {
  return [
    { start, end: from, side: 'open' },
    { start: to, end, side: 'close' },
  ];
}

function masked(source: string, found: ForeignSyntax[], blocks: readonly BlockMark[]): MaskedSource {
  const used = new Set(source.match(/[\ue000-\uf8ff]/g));
  let mask = '\ue000';
  while (used.has(mask)) mask = String.fromCharCode(mask.charCodeAt(0) + 1);
  const ranges: ForeignSyntax[] = [];
  const kept: BlockMark[] = [];
  let text = '';
  let copied = 0;
  const all = [...found, ...blocks].sort((one, other) => one.start - other.start || other.end - one.end);
  for (const range of all) {
    if (range.start < copied) continue;
    const isBlock = 'text' in range;
    text += source.slice(copied, range.start) + (isBlock ? range.text : mask.repeat(range.end - range.start));
    copied = range.end;
    if (isBlock) kept.push(range);
    else ranges.push(range);
  }
  return { text: text + source.slice(copied), mask, ranges, blocks: kept };
}
