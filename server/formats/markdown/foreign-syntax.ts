/*
 * Syntax that is not part of Markdown, but that site generators add to it. A parser of Markdown would read it as text, and
 * its signs as emphasis. So each range is replaced by a character that the file does not have, and the positions stay.
 */

/** A range within one line. */
export interface ForeignSyntax {
  start: number;
  end: number;
  /** Whether it separates texts, as a whole line or a tag that may not be moved does. */
  separates: boolean;
  /** Whether it stands for a word, such as a formula. */
  isWord: boolean;
}

export interface MaskedSource {
  text: string;
  /** The character in place of the syntax. */
  mask: string;
  ranges: readonly ForeignSyntax[];
}

/** Lines that are not text: fences of directives, titles of admonitions, marks of alerts. */
const lines = /^[ \t>]*(?::{3,}[^\n]*|(?:!!!|\?\?\?\+?)[ \t][^\n]*|\[![A-Za-z]+\][-+]?)[ \t]*\r?$/gm;
/** Formulas between lines with `$$`, each line of which is masked. */
const formulas = /^[ \t>]*\$\$[^`]{0,20000}?\$\$[ \t]*\r?$/gm;
/** Formulas in a sentence. Amounts of money have a space before the second sign, or a digit after it. */
export const formula =
  /(?<![\\$\w])\$(?![\s${])[^$\n`]{0,1000}?(?<![\s\\])\$(?![\w${])|(?<!\\)\$\$[^$\n`]{1,1000}\$\$/g;
/** Identifiers and classes of headings: `{#id}`, `{: .class}`. */
const attributes = /\{[#:.][^{}\n`]*\}/g;
const comments = /<!--(?:(?!-->)[^\n]){0,1000}-->/g;
/** Shortcodes of Hugo, and values and tags of Liquid and Jinja. */
const shortcodes = /\{\{[<%][^{}\n`]*[%>]\}\}|\{%[^{}\n`]*%\}/g;
const values = /\{\{[^{}<%\n`]+\}\}/g;
const modules =
  /^(?:import\s[^\n]*?['"][^'"\n]+['"];?|export\s(?:const|default|function)\s[^\n]*)[ \t]*\r?$/gm;

/** @param isMdx whether braces and modules are part of the syntax, and comments of HTML are not */
export function maskForeignSyntax(source: string, isMdx: boolean): MaskedSource {
  const found: ForeignSyntax[] = [];
  const add = (pattern: RegExp, { separates = false, isWord = false } = {}): void => {
    for (const { index, 0: text } of source.matchAll(pattern)) {
      // A range has no line end and no prefix of a line, so that the lines stay what they are.
      for (const { index: at, 0: line } of text.matchAll(/[^\r\n]+/g)) {
        const prefix = separates ? /^[ \t>]*/.exec(line)![0].length : 0;
        const end = index + at + line.trimEnd().length;
        if (index + at + prefix < end) found.push({ start: index + at + prefix, end, separates, isWord });
      }
    }
  };
  add(lines, { separates: true });
  add(formulas, { separates: true });
  add(formula, { isWord: true });
  add(attributes);
  if (isMdx) add(comments);
  else {
    add(modules, { separates: true });
    add(shortcodes, { separates: true });
    add(values, { isWord: true });
  }
  return masked(source, found);
}

function masked(source: string, found: ForeignSyntax[]): MaskedSource {
  const used = new Set(source.match(/[\ue000-\uf8ff]/g));
  let mask = '\ue000';
  while (used.has(mask)) mask = String.fromCharCode(mask.charCodeAt(0) + 1);
  const ranges: ForeignSyntax[] = [];
  let text = '';
  let copied = 0;
  for (const range of found.sort((one, other) => one.start - other.start || other.end - one.end)) {
    const last = ranges.at(-1);
    if (range.start < copied) continue;
    text += source.slice(copied, range.start) + mask.repeat(range.end - range.start);
    copied = range.end;
    // Without a character between them, the parser sees one range.
    if (last?.end === range.start) {
      last.end = range.end;
      last.separates ||= range.separates;
      last.isWord ||= range.isWord;
    } else ranges.push({ ...range });
  }
  return { text: text + source.slice(copied), mask, ranges };
}
