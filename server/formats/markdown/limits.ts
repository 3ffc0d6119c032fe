import { FileError, overLimit } from '../file-error.ts';

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
export interface CheckedSource {
  /** The maximum number of texts. */
  texts: number;
  /** The maximum number of signs in a paragraph that can begin or end markup inside of it. */
  paragraphSigns: number;
  /** The maximum number of lists and quotes around a line. */
  depth: number;
}

/** @throws {FileError} `too_large` or `unreadable` */
export function checkLimits(source: string): CheckedSource {
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
  // A line can have a text for each cell, link and image.
  const texts = lines.filter((line) => line.trim() !== '').length + (source.match(/[|[]/g)?.length ?? 0);
  return { texts, paragraphSigns, depth: markers + indents.size };
}
