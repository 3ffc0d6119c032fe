import { type RefObject, useEffect, useLayoutEffect } from 'react';
import { editedFieldMark } from '../keys/use-commands.ts';
import { languageOf } from '../parts/language-text.tsx';
import styles from './editor.module.css';
import { showOpenSegment } from './editor-view.ts';
import { Pieces } from './marked-text.tsx';
import type { Mark } from './marks.ts';

/**
 * The field of a translation. It is a textarea, so that the browser's undo, spelling and input methods work; the marks
 * are drawn by a copy of the text behind it, which also gives the field its height.
 */
export function TargetField({
  field,
  text,
  marks,
  language,
  label,
  describedBy,
  isReadOnly,
  hasTags = false,
  hasDictionary = false,
  onText,
  onFocus,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  marks: readonly Mark[];
  language: string;
  label: string;
  describedBy?: string | undefined;
  isReadOnly: boolean;
  /** Whether the text may have tags, which are shown as chips. */
  hasTags?: boolean;
  /** Whether the editor checks the spelling, in place of the browser. */
  hasDictionary?: boolean;
  onText: (text: string) => void;
  onFocus?: () => void;
}) {
  useLayoutEffect(() => {
    // Typing changes the text and the field together. Another change, such as an undone decision, replaces the text.
    if (field.current && field.current.value !== text) field.current.value = text;
  }, [text, field]);
  useEffect(() => {
    if (!hasTags) return;
    const left = new AbortController();
    void import('./tag-protection.ts').then(({ protectTags }) => {
      if (!field.current || left.signal.aborted) return;
      left.signal.addEventListener('abort', protectTags(field.current));
    });
    return () => left.abort();
  }, [hasTags, field]);
  return (
    <div className={styles['box']}>
      <div {...languageOf(language)} className={styles['copy']} aria-hidden translate="no">
        <Pieces text={text} marks={marks} />
        {/* A last empty line has a height only if something follows it. */}
        {'\u200b'}
      </div>
      <textarea
        ref={field}
        {...languageOf(language)}
        {...editedFieldMark}
        className={styles['field']}
        translate="no"
        spellCheck={!hasDictionary}
        autoComplete="off"
        rows={1}
        aria-label={label}
        aria-describedby={describedBy}
        defaultValue={text}
        readOnly={isReadOnly}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        onFocus={() => {
          showOpenSegment();
          onFocus?.();
        }}
      />
      {/* Chips hide the characters of their tags, so they are above the field. */}
      {hasTags && (
        <div {...languageOf(language)} className={styles['chips']} aria-hidden translate="no">
          <Pieces text={text} marks={marks.filter(({ kind }) => kind === 'chip')} />
        </div>
      )}
    </div>
  );
}
