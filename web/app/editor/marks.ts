import type { QualityCheckError, QualityIssue } from '#sdk/types.ts';
import type { FormatKind } from '#server/formats/inline-content.ts';
import { findMarkup } from '#server/translation/integrity/markup.ts';
import { findPlaceholders } from '#server/translation/integrity/placeholders.ts';

/**
 * What a part of a text is: a tag of the document, a placeholder of a program, an HTML tag, a glossary term, the subject of a finding, a misspelled
 * word, a number that the translation lacks, or a match of the search.
 */
export type MarkKind =
  | 'misspelled'
  | 'chip'
  | 'placeholder'
  | 'tag'
  | 'term'
  | 'critical'
  | 'warning'
  | 'changed'
  | 'found';

/** A tag of a document's segment that is shown as a chip. */
export interface ChipMark {
  tag: number;
  type: 'open' | 'close' | 'void';
  format?: FormatKind;
}

/** A marked part of a text, in UTF-16 units. */
export interface Mark {
  start: number;
  end: number;
  kind: MarkKind;
  /** A short explanation, such as the translation of a term. */
  note?: string;
  chip?: ChipMark;
}

/** A part of a text that has the same marks throughout. */
export interface Piece {
  start: number;
  text: string;
  kinds: readonly MarkKind[];
  note?: string;
  chip?: ChipMark;
}

/** A glossary term as it stands in a text. */
export interface MarkedTerm {
  text: string;
  /** Its translations. */
  note?: string;
}

/** The languages of a document's texts. */
export interface Languages {
  source: string;
  target: string;
}

interface Marked {
  /** The language of the text. */
  language: string;
  isHtml: boolean;
  /** Findings whose spans are marked, as far as the text contains them. */
  issues?: readonly QualityIssue[];
  /** Terms to underline. */
  terms?: readonly MarkedTerm[];
  /** The text that the reviewer searches for. */
  sought?: string | undefined;
}

/** If a text is longer, only the matches of a search are marked: the marks would make typing slow. */
const maxMarkedLength = 20_000;

/** Determines the marks of a text, in the order of their starts. */
export function marksOf(text: string, { language, isHtml, issues = [], terms = [], sought }: Marked): Mark[] {
  const marks: Mark[] = sought ? occurrences(text, sought, 'found', { ignoresCase: true }) : [];
  if (text.length <= maxMarkedLength) {
    const { certain, conversions } = findPlaceholders(text, language);
    for (const { start, span } of [...certain, ...conversions])
      marks.push({ start, end: start + span.length, kind: 'placeholder' });
    if (isHtml)
      for (const { start, span } of findMarkup(text).tags)
        marks.push({ start, end: start + span.length, kind: 'tag' });
    for (const { text: term, note } of terms)
      for (const mark of occurrences(text, term, 'term', { ignoresCase: true, wholeWords: true }))
        marks.push({ ...mark, ...(note !== undefined && { note }) });
    for (const { span, severity } of issues)
      if (span) marks.push(...occurrences(text, span, severity === 'critical' ? 'critical' : 'warning'));
  }
  return marks.sort((one, other) => one.start - other.start || one.end - other.end);
}

/** The words in which a reviewer marked errors, in the translation. A mark of the whole text underlines nothing. */
export function markedWords(errors: readonly QualityCheckError[], machine: string, target: string): Mark[] {
  return errors
    .filter(({ start, end }) => end - start < machine.length)
    .flatMap(({ severity, start, end }) =>
      occurrences(target, machine.slice(start, end), severity === 'critical' ? 'critical' : 'warning'),
    );
}

/** Splits a text at the ends of its marks. */
export function splitAtMarks(text: string, marks: readonly Mark[]): Piece[] {
  const ends = [...new Set([0, text.length, ...marks.flatMap(({ start, end }) => [start, end])])].sort(
    (one, other) => one - other,
  );
  return ends.slice(1).map((end, index) => {
    const start = ends[index] as number;
    const covering = marks.filter((mark) => mark.start <= start && mark.end >= end);
    const kinds = [...new Set(covering.map(({ kind }) => kind))];
    const note = covering.find((mark) => mark.note !== undefined)?.note;
    const chip = covering.find((mark) => mark.chip)?.chip;
    return {
      start,
      text: text.slice(start, end),
      kinds,
      ...(note !== undefined && { note }),
      ...(chip && { chip }),
    };
  });
}

export function occurrences(
  text: string,
  span: string,
  kind: MarkKind,
  { ignoresCase = false, wholeWords = false } = {},
): Mark[] {
  if (span === '') return [];
  const escaped = span.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const letter = '[\\p{L}\\p{N}]';
  const start = wholeWords && isSpacedLetter(span.at(0)) ? `(?<!${letter})` : '';
  const end = wholeWords && isSpacedLetter(span.at(-1)) ? `(?!${letter})` : '';
  const expression = new RegExp(start + escaped + end, ignoresCase ? 'giu' : 'gu');
  return Array.from(text.matchAll(expression), ({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
    kind,
  }));
}

/** Whether a character is a letter or digit of a script that has spaces between words. */
export function isSpacedLetter(character: string | undefined): boolean {
  return (
    character !== undefined &&
    /[\p{L}\p{N}]/u.test(character) &&
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(character)
  );
}

/** The placeholders and tags that the source has more often than the translation, each once, in the order of the source. */
export function missingSpans(source: string, target: string, languages: Languages, isHtml = false): string[] {
  const { certain, conversions } = findPlaceholders(source, languages.source);
  const tags = isHtml ? findMarkup(source).tags : [];
  const spans = [...certain, ...conversions, ...tags].toSorted((one, other) => one.start - other.start);
  return [...new Set(spans.map(({ span }) => span))].filter(
    (span) => countOf(source, span) > countOf(target, span),
  );
}

function countOf(text: string, span: string): number {
  return text.split(span).length - 1;
}
