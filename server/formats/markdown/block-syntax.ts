import type { SegmentKind } from '../document.ts';
import { DirectiveReader, mystTitles } from './myst-directives.ts';

/*
 * Blocks that are not part of Markdown, but that site generators add to it: admonitions, tabs, callouts, directives, lists of
 * definitions, and abbreviations. Their marks are replaced by marks of Markdown that have the same effect on the lines around
 * them, so that the parser finds their texts: the line of a title becomes a heading, and a block with an indented body becomes
 * an item of a list. A replacement has the length of the marks, so the positions stay.
 */

/** A range within one line, or a line end with the signs before the next line. */
export interface ForeignSyntax {
  start: number;
  end: number;
  /** Whether it separates texts, as a whole line or a tag that may not be moved does. */
  separates?: boolean | undefined;
  /** Whether it stands for a word, such as a formula. */
  isWord?: boolean;
  /** Set for the signs before a text, as in `[[page|text]]`, and after it. */
  side?: 'open' | 'close';
  /** Whether it belongs to the markup directly before it, as attributes of a link do. */
  isAttribute?: boolean;
  /** The kind of a line of a directive: an option, which can have a text as its value, or code. */
  line?: 'option' | 'code';
}

/** A line that begins a block. */
export interface BlockMark {
  /** The range of the line that is replaced by `text`. */
  start: number;
  end: number;
  text: string;
  /** The rest of the marks, and of the line ends that separate texts. */
  masks: readonly ForeignSyntax[];
  lineEnd: number;
  /** The kind of the text of this line, if the line is read as a heading. */
  kind?: SegmentKind;
  /** Whether the whole line has no text, if the parser reads its marks as text. */
  isOnlyMarks: boolean;
  /** Whether the line has no meaning in a program. */
  isNeverCode: boolean;
}

/** The signs of quotes and lists before a block. Each sign has its own first character. */
const prefix = /^(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/;
const admonition = /^(?:!!!|\?\?\?\+?)[ \t]?[\w-][\w \t-]*/;
const tab = /^={3}[!+]*[ \t]+(?=")/;
const callout = /^\[![A-Za-z][^[\]\n]*\][-+]?(?=[ \t]|$)/;
const directive = /^(?:`{3,}|~{3,}|:{3,})[ \t]*(?:\{[\w:+-]+\}|[\w-]+)?/;
const pymdownBlock = /^\/{3,}(?:[ \t]*$|[ \t]+[\w-]+[ \t]*(?:\|[ \t]*(?![<^#])|$))/;
const abbreviation = /^\*\[[^[\]\n]+\]:[ \t]*(?=\S)/;
const definition = /^:([ \t]+)(?=\S)/;
/** Lines that only name a file or a target of links, and places of a table of contents. */
const include =
  /^(?:\([A-Za-z][\w:.-]*(?: [\w:.-]+)*\)=|;*-{1,3}8<-{1,3}(?:[ \t].*)?|<<<[ \t].+|\[(?:TOC|toc)\])$/;

/** Comments and separators of cells in MyST, and what shows that a file is MyST. */
const mystComment = /^(?:%.+|\+\+\+[ \t]+\{.*\})$/;
const isMyst =
  /^[ \t>]*(?:(?:`{3,}|~{3,}|:{3,})\{[\w:-]+\}|\([A-Za-z][\w:.-]*\)=[ \t]*\r?$)|\{[a-z][\w:+-]*\}`[^`\n]+`/m;

/** A line that cannot be a term of a definition: it has no word, begins another block, or is part of a program. */
const noTerm = /^(?:[^\p{L}\p{N}]*$|[-+*][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|`{3}|~{3}|[|<{}?):>])/u;
/** The definition of a link. It has no text if it starts a paragraph. */
const linkDefinition = /^\[[^[\]\n]+\]:/;

interface Line {
  /** The offset after the signs of quotes and lists. */
  at: number;
  /** The text from there. */
  text: string;
  /** The signs of quotes and lists. */
  signs: string;
  /** Whether the line ends with a line break that is shown. Then the next line belongs to its text. */
  hasBreak: boolean;
}

/** Returns the blocks of a file in their order, also those in code, which the parser does not read, and lines of directives. */
export function findBlocks(source: string): (BlockMark | ForeignSyntax)[] {
  const found: (BlockMark | ForeignSyntax)[] = [];
  const directives = new DirectiveReader(source);
  /** The last lines that can be terms. */
  let terms: Line[] = [];
  let isAfterEmptyLine = false;
  let start = 0;
  const hasMyst = isMyst.test(source);
  for (const { 0: written } of source.matchAll(/[^\r\n]*(?:\r\n?|\n|$)/g)) {
    if (written === '') break;
    const content = written.trimEnd();
    const signs = prefix.exec(content)![0];
    const hasBreak = /(?: {2}|\\)[\r\n]*$/.test(written.slice(content.length - 1));
    const line: Line = { at: start + signs.length, text: content.slice(signs.length), signs, hasBreak };
    start += written.length;
    const part = directives.read(line.text);
    if (part) {
      if (part === 'first' || part === 'last') found.push(directiveMark(line)!);
      else if (line.text !== '')
        found.push({
          ...separator(line.at, line.at + line.text.length),
          line: part === 'part' ? 'code' : part,
        });
      terms = [];
      isAfterEmptyLine = false;
      continue;
    }
    const spaces = definition.exec(line.text)?.[1];
    const isComment = hasMyst && mystComment.test(line.text);
    const mark = spaces
      ? definitionMark(line, spaces, terms)
      : isComment
        ? titleOf(line, '# ', line.text.length)
        : markOf(line);
    if (mark) found.push(mark);
    // A definition can begin with a block.
    if (spaces) found.push(...blockIn(line, spaces));
    // A term directly after a definition continues it for the parser.
    if (spaces) terms = [line];
    else if (line.text !== '') {
      if (isAfterEmptyLine || terms.at(-1)?.hasBreak || !isSamePlace(terms.at(-1), line)) terms = [];
      const isTerm =
        !mark && !noTerm.test(line.text) && (terms.length > 0 || !linkDefinition.test(line.text));
      if (isTerm) terms.push(line);
      else terms = [];
    }
    isAfterEmptyLine = line.text === '';
  }
  return found;
}

/** Whether a line continues the block of another one, so that its line end can be part of a text. */
function isSamePlace(last: Line | undefined, line: Line): boolean {
  return last === undefined || line.signs === last.signs.replace(/[^>\t]/g, ' ') || last.signs === line.signs;
}

/** The mark becomes that of a list. Each term before it is a separate text. */
function definitionMark({ at, text }: Line, spaces: string, terms: readonly Line[]): BlockMark {
  const masks: ForeignSyntax[] = [];
  for (const [index, line] of terms.entries()) {
    const last = terms[index - 1];
    if (last) masks.push(separator(last.at + last.text.length, line.at));
  }
  // After more spaces, the parser would see code.
  const from = at + 1 + (/^ {1,4}$/.test(spaces) ? spaces.length : 1);
  if (from < at + 1 + spaces.length) masks.push(separator(from, at + 1 + spaces.length));
  return {
    ...{ start: at, end: at + 1, text: '-', masks, lineEnd: at + text.length },
    ...{ isOnlyMarks: false, isNeverCode: false },
  };
}

function blockIn({ at, text, ...line }: Line, spaces: string): BlockMark[] {
  const from = 1 + spaces.length;
  const mark = markOf({ ...line, at: at + from, text: text.slice(from) });
  return mark ? [mark] : [];
}

function markOf(line: Line): BlockMark | undefined {
  const { text, signs } = line;
  const sign = text[0];
  if (sign === '!' || sign === '?') {
    const marks = admonition.exec(text)?.[0].trimEnd();
    if (marks === undefined) return undefined;
    const rest = text.slice(marks.length).trim();
    const isQuoted = /^".*"$/.test(rest) && rest.length > 1;
    if (rest !== '' && !isQuoted) return undefined;
    return isQuoted
      ? titleOf(line, '- # ', text.indexOf('"') + 1, text.length - 1)
      : titleOf(line, '- # ', text.length);
  }
  if (sign === '=') {
    const marks = tab.exec(text)?.[0];
    const isTab = marks !== undefined && text.endsWith('"') && text.length > marks.length + 1;
    return isTab ? titleOf(line, '- # ', marks.length + 1, text.length - 1) : undefined;
  }
  if (sign === ':') return directiveMark(line);
  if (sign === '/') {
    const marks = pymdownBlock.exec(text)?.[0];
    return marks === undefined ? undefined : titleOf(line, '# ', marks.length);
  }
  if (sign === '*') {
    const marks = abbreviation.exec(text)?.[0];
    return marks === undefined ? undefined : { ...titleOf(line, '# ', marks.length), kind: 'text_block' };
  }
  if (include.test(text)) return titleOf(line, '# ', text.length);
  const marks = callout.exec(text)?.[0];
  if (marks === undefined || (marks !== text && !signs.trimEnd().endsWith('>'))) return undefined;
  return titleOf(line, '# ', marks.length);
}

function directiveMark(line: Line): BlockMark | undefined {
  const { text } = line;
  const name = directive.exec(text)?.[0];
  if (name === undefined) return undefined;
  const rest = text.slice(name.length);
  const only = titleOf(line, '# ', text.length);
  // A title in brackets, perhaps before attributes.
  if (rest.startsWith('[')) {
    const end = rest.endsWith('}') ? rest.lastIndexOf(']{') : rest.lastIndexOf(']');
    const isTitle = end > 1 && (rest.endsWith('}') || end === rest.length - 1);
    return isTitle ? titleOf(line, '# ', name.length + 1, name.length + end) : only;
  }
  const myst = /\{([\w:-]+)\}$/.exec(name)?.[1];
  if (!/^[ \t]/.test(rest) || !/[\w}]$/.test(name) || (myst && !mystTitles.has(myst))) return only;
  // Attributes in braces, and signs that close the directive in the same line, follow a title.
  const end = /(?<![ \t])[ \t]+(?:\{[^{}]*\}|:{3,})$/.exec(rest)?.index ?? rest.length;
  const title = rest.slice(0, end).trim();
  const isText = title !== '' && (myst || !/=|:::|^\{|^[^\s/]*\/\S+$|^\S+\.[a-z]{2,5}$/i.test(title));
  return isText ? titleOf(line, '# ', name.length + rest.search(/[^ \t]/), name.length + end) : only;
}

/**
 * Makes the line a heading.
 *
 * @param from the start of the title in the line
 * @param to its end
 */
function titleOf(line: Line, mark: string, from: number, to = line.text.length): BlockMark {
  const { at, text } = line;
  // For the parser, an address begins after a space.
  const marksEnd = text.slice(0, from).trimEnd().length;
  const masks = [separator(at + mark.length, at + Math.max(marksEnd, mark.length))];
  if (to >= from) masks.push(separator(at + to, at + text.length));
  return {
    ...{ start: at, end: at + mark.length, text: mark, kind: 'heading' },
    masks: masks.filter((one) => one.start < one.end),
    lineEnd: at + text.length,
    isOnlyMarks: true,
    isNeverCode: /^(?::::|`{3}|~{3}|!!!|\?\?\?|\[!)/.test(text),
  };
}

const separator = (start: number, end: number): ForeignSyntax => ({ start, end, separates: true });
