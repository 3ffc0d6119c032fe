import type { LayoutFormat } from './document.ts';
import { FileError, limits, overLimit } from './file-error.ts';
import { signsOf } from './html/character-references.ts';
import { readHtmlBlock } from './html-document.ts';
import { plainText } from './inline-content.ts';
import {
  type FrontMatter,
  type FrontMatterText,
  findNamedMatter,
  readToml,
  readYaml,
} from './markdown/front-matter.ts';
import { findHeadingLinks, type HeadingLinks } from './markdown/heading-links.ts';
import { type Markdown, mayBeMdx, parseMarkdown } from './markdown/parse.ts';
import { type LabelText, readTexts, type TextBlock } from './markdown/text-reader.ts';
import { codedValue } from './markdown/value-codes.ts';
import { linePrefix, type MarkdownWriter, writerFor } from './markdown/writer.ts';
import { type Run, runsOf } from './markup/inline-runs.ts';
import { type ExistingMarkup, type MarkupText, placesOfMarkup } from './markup/markup-places.ts';
import { readOwnNames } from './markup/visible-names.ts';
import { openTextFile, type TextOptions, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';

/**
 * Markdown as GitHub has it, and MDX. A segment is a paragraph, a heading or a cell with its inline markup, the text of an
 * image, the title of a link, an attribute, or a value of the front matter. The titles and bodies of admonitions, tabs and callouts are
 * texts, terms and their definitions, and the texts of HTML. Code, formulas, shortcodes and definitions of links
 * stay. A changed text is written in one line, except for its line breaks. A translated heading keeps the address that
 * links of the file have. If it cannot, the finding `link_broken` names the line of the link.
 *
 * @throws {FileError} `not_text`, `unreadable` or `too_large`
 */
const format = textFormat((source, options) => findTexts(source, false, options));
export const { extract, rebuild, texts } = format;

/** The length of the part of a long file that is parsed to check the file, in UTF-16 units. */
const partLength = 100_000;

/** The number of signs of markup and of blocks up to which no paragraph can be nested too deeply. A list has two levels. */
const safeSigns = 150;

/** Checks a file. Of a long file, only the first part with texts is parsed if the rest cannot exceed a limit. */
export const check: LayoutFormat['check'] = async (bytes, take = () => false, selection) => {
  const part = firstPart(openTextFile(bytes).text);
  let hasTexts = false;
  const takeFirst = (text: string) => {
    hasTexts = true;
    return take(text);
  };
  if (part !== undefined) await format.check(new TextEncoder().encode(part), takeFirst, selection);
  if (!hasTexts) await format.check(bytes, take, selection);
};

/** Returns undefined for a short file, and for one whose parser can find that it exceeds a limit. */
function firstPart(source: string): string | undefined {
  const { texts, paragraphSigns, depth } = checkLimits(source);
  if (source.length <= partLength) return undefined;
  const end = Math.max(source.lastIndexOf('\n\n', partLength), source.lastIndexOf('\n\r\n', partLength));
  const isSafe =
    texts < limits.segments && paragraphSigns + 2 * depth < safeSigns && !mayBeMdx(source, false);
  return end > 0 && isSafe ? source.slice(0, end) : undefined;
}

/** Files that are named as MDX are MDX, whatever they contain. */
export const mdx = textFormat((source, options) => findTexts(source, true, options));

function findTexts(source: string, isMdx: boolean, options: TextOptions): TextPlaces {
  checkLimits(source);
  const markdown = parseMarkdown(source, isMdx);
  const names = readOwnNames(options.ownNames);
  const { blocks, labels, html, kept, characters } = readTexts(source, markdown, options, names);
  const pages = html.map((range) => readHtmlBlock(source, range, options.sourceLanguage, names));
  kept.push(...pages.flatMap((page) => page.kept));
  const writer = writerFor(source, markdown.isMdx);
  const matter = frontMatterOf(source, markdown, options);
  const texts: MarkupText[] = [];
  const links = findHeadingLinks(source, markdown, blocks);
  for (const block of blocks) {
    const found = runsOf(block.items);
    kept.push(...found.kept);
    for (const [at, run] of found.runs.entries())
      texts.push({
        ...textOfRun(run, block, writer, source, at === 0 ? links.get(block) : undefined),
        role: `${markdown.isMdx ? 'MDX ' : ''}${block.kind}${quotesOf(source, run, block)}`,
        existing: () => existingOf(source, run, block),
      });
  }
  texts.push(
    ...pages.flatMap((page) => page.texts.map((text) => ({ ...text, role: `HTML ${text.role}` }))),
    ...labels.map((label) => textOfLabel(label, writer, source, markdown.isMdx)),
    ...matter.texts.map(textOfMatter),
  );
  const values = [...matter.texts, ...labels.filter((label) => label.write)].map(({ text }) =>
    codedValue(text),
  );
  const code = values.flatMap((value) => value.code);
  const found = placesOfMarkup(source, texts, options.kept);
  return {
    ...found,
    kept: [...kept, ...matter.kept, ...code.map((text) => ({ reason: 'code', text })), ...found.kept],
    characters:
      characters +
      [
        ...matter.kept.map(({ text }) => text),
        ...code,
        ...matter.texts.map(({ text }) => textIn(text)),
      ].reduce((sum, text) => sum + countCharacters(text), 0) +
      pages.reduce((sum, page) => sum + page.characters, 0),
    always: [...found.always, ...matter.declared],
  };
}

function textOfRun(
  run: Run,
  block: TextBlock,
  writer: MarkdownWriter,
  source: string,
  links?: HeadingLinks,
): MarkupText {
  return {
    ...run,
    kind: block.kind,
    name: '',
    signs: signsOf(source.slice(run.start, run.end)),
    write: (target, markupOf) => writer.text(run, block, target, markupOf),
    ...(links && { around: links.edits, check: links.findings }),
  };
}

/** Returns the quotes around the title of an admonition, which its text must not have. */
function quotesOf(source: string, { start, end }: Run, { syntax }: TextBlock): string {
  const quote = source[start - 1] ?? '';
  return syntax === 'headingAtx' && /["']/.test(quote) && source[end] === quote ? ` in ${quote}` : '';
}

/**
 * Returns how the markup of a block is read and written: in other quotes and lists, its lines have another prefix. A cell and
 * a heading with `#` have one line.
 */
function existingOf(source: string, { start, end }: Run, block: TextBlock): ExistingMarkup {
  const prefix = linePrefix(source, block);
  const newline = /\r\n?|\n/.exec(source)?.[0] ?? '\n';
  const lines = source.slice(start, end).split(/\r\n?|\n/);
  const own = lines.map((line, at) => {
    if (at === 0) return line;
    return line.startsWith(prefix) ? line.slice(prefix.length) : line.replace(/^[ \t>]+/, '');
  });
  const separator = block.syntax === 'paragraph' ? newline + prefix : ' ';
  return { text: own.join('\n'), write: (text) => text.split(/\r\n?|\n/).join(separator) };
}

function textOfLabel(label: LabelText, writer: MarkdownWriter, source: string, isMdx: boolean): MarkupText {
  const { start, end, name, text } = label;
  const write = label.write ?? ((plain: string) => writer.label(label, plain));
  const value = label.write && codedValue(text);
  const isOneLine = !/[\r\n]/.test(source.slice(start, end));
  return {
    ...{ start, end, kind: 'text_block', name, source: value?.source ?? [text], tags: new Map() },
    signs: signsOf(source.slice(start, end)),
    role: `${isMdx ? 'MDX ' : ''}${name}`,
    existing: () => ({
      text,
      ...(isOneLine && { form: label.quote ?? (name === 'alt' ? name : source[start - 1]!) }),
      write,
    }),
    write: (target) => write(value ? value.write(target) : plainText(target)),
  };
}

/** Returns a value without its codes. */
const textIn = (value: string): string => plainText(codedValue(value).source);

function textOfMatter({ start, end, key, text, write }: FrontMatterText): MarkupText {
  const value = codedValue(text.trim());
  return {
    ...{
      start,
      end,
      kind: key === 'title' ? 'heading' : 'text_block',
      name: key,
      source: value.source,
      tags: new Map(),
    },
    role: `front matter ${key}`,
    existing: () => ({ text: text.trim(), write: (plain) => write(plain).text }),
    write: (target) => write(value.write(target)).text,
  };
}

function frontMatterOf(source: string, { tree }: Markdown, languages: TextOptions): FrontMatter {
  const [first] = tree.children;
  const type: string | undefined = first?.type;
  const named = findNamedMatter(source);
  if (named) {
    const content = source.slice(named.from, named.to);
    return (named.isToml ? readToml : readYaml)(content, named.from, languages);
  }
  if (!first || (type !== 'yaml' && type !== 'toml')) return { texts: [], declared: [], kept: [] };
  const { start, end } = first.position!;
  // The parser of YAML does not know lines that end with CR only.
  const text = source.slice(start.offset, end.offset).replace(/\r(?!\n)/g, '\n');
  const from = text.indexOf('\n') + 1;
  const content = text.slice(from, text.lastIndexOf('\n') + 1);
  return (type === 'yaml' ? readYaml : readToml)(content, start.offset! + from, languages);
}

/*
 * Limits of Markdown files. The time that the parser takes grows with the square of some numbers, so files are checked
 * before they are parsed. The limits are far above those of documents that people write.
 */

const maxLength = 1_500_000;
const maxLines = 100_000;
const maxDepth = 100;
/** The number of `|` in rows of tables. A cell needs several kilobytes of memory. */
const maxCellSigns = 50_000;
/** Signs that may begin or end markup. */
const maxSigns = 150_000;
/** The sum of the squares of the numbers of delimiters, over all paragraphs. */
const maxDelimiterWork = 30_000_000;
/** The sum of the numbers of backticks times the lengths, over all paragraphs. */
const maxBacktickWork = 100_000_000;

const nested = new RegExp(`(?:>[ \\t]*|(?:[-+*]|\\d{1,9}[.)])[ \\t]+){${maxDepth}}`);
/** The signs of quotes and lists at the start of a line. */
const blockMarkers = /^(?:[ \t]*(?:>|(?:[-+*:]|\d{1,9}[.)])(?=[ \t]|$)))+/;
/** Also blocks that are read as lists: definitions, admonitions and tabs. */
const listItem = /^([ \t>]*)(?:(?:[-+*:]|\d{1,9}[.)])(?:[ \t]|$)|!{3}|\?{3}|={3})/;

/** A file whose limits are checked, and the numbers that show whether its parsed texts can exceed further limits. */
interface CheckedSource {
  /** The maximum number of texts. */
  texts: number;
  /** The maximum number of signs in a paragraph that can begin or end markup inside of it. */
  paragraphSigns: number;
  /** The maximum number of lists and quotes around a line. */
  depth: number;
}

/** @throws {FileError} `too_large` or `unreadable` */
function checkLimits(source: string): CheckedSource {
  if (source.length > maxLength) throw overLimit('the number of characters of a Markdown file', maxLength);
  const lines = source.split(/\r\n?|\n/);
  if (lines.length > maxLines) throw overLimit('the number of lines of a Markdown file', maxLines);
  const signs = source.match(/[\\`*_~[\]<>&|!]/g)?.length ?? 0;
  if (signs > maxSigns) throw overLimit('the number of signs of markup of a Markdown file', maxSigns);
  const cells = lines.reduce(
    (sum, line) => sum + (/^[ \t>]*\|/.test(line) ? line.split('|').length - 1 : 0),
    0,
  );
  if (cells > maxCellSigns) throw overLimit('the number of cells in tables of a Markdown file', maxCellSigns);
  const indents = new Set<number>();
  let [delimiters, backticks, length] = [0, 0, 0];
  let [delimiterWork, backtickWork] = [0, 0];
  let [own, paragraphSigns, markers] = [0, 0, 0];
  for (const line of [...lines, '']) {
    const indent = listItem.exec(line)?.[1];
    if (indent !== undefined) indents.add(indent.length);
    if (indents.size > maxDepth || nested.test(line.slice(0, 10_000)))
      throw new FileError('unreadable', `lists and quotes are nested more than ${maxDepth} levels deep`);
    own = line.trim() === '' ? 0 : own + (line.match(/[*_~[\]<{]/g)?.length ?? 0);
    paragraphSigns = Math.max(paragraphSigns, own);
    markers = Math.max(markers, blockMarkers.exec(line)?.[0].match(/[^ \t]+/g)?.length ?? 0);
    if (line.trim() === '') {
      delimiterWork += delimiters ** 2;
      backtickWork += backticks * length;
      [delimiters, backticks, length] = [0, 0, 0];
      if (delimiterWork > maxDelimiterWork || backtickWork > maxBacktickWork)
        throw new FileError('too_large', 'a paragraph has too many signs of markup; split the paragraph');
    } else {
      // Each cell of a table, and each definition of a link, is parsed separately.
      if (!/^[ \t>]*(?:\||\[[^\]]+\]:)/.test(line)) delimiters += line.match(/[*_~[]/g)?.length ?? 0;
      backticks += line.match(/`+/g)?.length ?? 0;
      length += line.length;
    }
  }
  // A line can have a text for each cell, link, image and attribute.
  const texts = lines.filter((line) => line.trim() !== '').length + (source.match(/[|[=]/g)?.length ?? 0);
  return { texts, paragraphSigns, depth: markers + indents.size };
}
