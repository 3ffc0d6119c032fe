import { diffArrays } from 'diff';
import { useMemo } from 'react';
import { languageOf } from './language-text.tsx';

interface Piece {
  kind: 'same' | 'added' | 'removed';
  text: string;
  /** The index of this piece among all pieces. */
  at: number;
}

/**
 * If the two texts are longer together, lines are compared instead of words, because comparing words would block the
 * page.
 */
const maxCharacters = 100_000;

/** Maximum milliseconds of a comparison. If it takes longer, the whole text counts as replaced. */
const longest = 200;

/**
 * The differences between two texts by words. The words are those of the language according to Unicode, so that no
 * character is split.
 */
export function diffTexts(before: string, after: string, language: string): Piece[] {
  const isLong = before.length + after.length > maxCharacters;
  const split = (text: string) => (isLong ? linesOf(text) : wordsOf(text, language));
  const changes = diffArrays(split(before), split(after), { timeout: longest }) ?? [
    { removed: true, added: false, value: [before] },
    { removed: false, added: true, value: [after] },
  ];
  let at = 0;
  return changes.map(({ added, removed, value }) => {
    const text = value.join('');
    const piece: Piece = { kind: added ? 'added' : removed ? 'removed' : 'same', text, at };
    at += text.length;
    return piece;
  });
}

function wordsOf(text: string, language: string): string[] {
  return Array.from(
    new Intl.Segmenter(language, { granularity: 'word' }).segment(text),
    ({ segment }) => segment,
  );
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

/**
 * Shows the differences between `before` and `after`: removed words struck through, added words underlined, so that
 * both are visible without color.
 */
export function TextDiff({ before, after, language }: { before: string; after: string; language: string }) {
  const pieces = useMemo(() => diffTexts(before, after, language), [before, after, language]);
  return (
    <p {...languageOf(language)} translate="no" className="text-diff">
      {pieces.map(({ kind, text, at }) => {
        const Element = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span';
        return <Element key={`${at} ${kind}`}>{text}</Element>;
      })}
    </p>
  );
}
