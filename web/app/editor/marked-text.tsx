import type { ReactNode } from 'react';
import { languageOf } from '../parts/language-text.tsx';
import { Chip } from './chip.tsx';
import styles from './editor.module.css';
import { type Mark, type MarkKind, splitAtMarks } from './marks.ts';

/** The kinds of marks, the most important first. */
const byWeight: readonly MarkKind[] = [
  'placeholder',
  'tag',
  'critical',
  'warning',
  'misspelled',
  'changed',
  'term',
  'found',
];

/** A text with its marks. @param isSource whether words of the text can be selected to create a glossary term */
export function MarkedText({
  text,
  marks,
  language,
  className,
  isSource = false,
}: {
  text: string;
  marks: readonly Mark[];
  language: string;
  className?: string | undefined;
  isSource?: boolean;
}) {
  return (
    <div
      {...languageOf(language)}
      className={`${styles['text']} ${className ?? ''}`}
      translate="no"
      {...(isSource && { 'data-source': '' })}
    >
      <Pieces text={text} marks={marks} />
    </div>
  );
}

/** The pieces of a marked text, without an element around them. */
export function Pieces({ text, marks }: { text: string; marks: readonly Mark[] }): ReactNode {
  if (marks.length === 0) return text;
  return splitAtMarks(text, marks).map(({ start, text: piece, kinds, note, chip }) => {
    if (chip) return <Chip key={start} chip={chip} text={piece} />;
    if (kinds.length === 0) return piece;
    const names = byWeight.filter((kind) => kinds.includes(kind)).map((kind) => styles[kind]);
    return (
      <span key={start} className={names.join(' ')} title={note}>
        {piece}
      </span>
    );
  });
}
