import { type KeyboardEvent, memo, useLayoutEffect, useRef } from 'react';
import { useT } from '../../i18n.tsx';
import { isComposing } from '../../keys/match-key.ts';
import { LanguageText, languageOf } from '../../parts/language-text.tsx';
import { unitMark } from '../../terms/selected-words.ts';
import { ConfirmSegment } from './confirm-segment.tsx';
import { type CorrectionStore, useCorrection } from './corrections.ts';
import styles from './documents.module.css';
import type { Segment } from './search.ts';
import { SegmentFindings } from './segment-findings.tsx';

/** The languages of a document's texts. */
export interface Languages {
  source: string;
  target: string;
}

interface RowProps {
  documentId: string;
  segment: Segment;
  corrections: CorrectionStore;
  languages: Languages;
  isCurrent: boolean;
  mayEdit: boolean;
  onOpen: (position: number) => void;
  /** The index of the segment in the list. */
  index: number;
  /** Moves from the segment at that index to the next (1) or previous (-1) one. */
  onMove: (from: number, step: 1 | -1) => void;
}

/** A segment as a row: its place, source and translation. In the current row, the translation is a text field. */
export const SegmentRow = memo(function SegmentRow(props: RowProps) {
  const { documentId, segment, corrections, languages, isCurrent, mayEdit, onOpen } = props;
  const t = useT();
  const correction = useCorrection(corrections, segment.position);
  const shown = correction?.text ?? segment.target_text;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button in it is for keys; the whole row is a larger target for a pointer
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div
      {...unitMark}
      className={styles.row}
      data-current={isCurrent || undefined}
      onClick={() => !isCurrent && !window.getSelection()?.toString() && onOpen(segment.position)}
    >
      <div className={styles.place}>
        <button
          type="button"
          className={styles.number}
          aria-label={t('documents.open_segment', { number: segment.position + 1 })}
          aria-current={isCurrent || undefined}
          onClick={(event) => {
            event.stopPropagation();
            onOpen(segment.position);
          }}
        >
          {segment.position + 1}
        </button>
        <Marks segment={segment} isChanged={correction !== undefined} />
      </div>
      <LanguageText language={languages.source} className={styles.text} isSource>
        {segment.source_text}
      </LanguageText>
      {isCurrent && mayEdit ? (
        <Editor {...props} />
      ) : (
        <LanguageText language={languages.target} className={styles.text}>
          {shown ?? <span className={styles.missing}>{t('documents.untranslated')}</span>}
        </LanguageText>
      )}
      {isCurrent && (
        <SegmentFindings
          documentId={documentId}
          segment={segment}
          text={correction?.text}
          language={languages.target}
        />
      )}
    </div>
  );
});

function Marks({ segment, isChanged }: { segment: Segment; isChanged: boolean }) {
  const t = useT();
  return (
    <>
      {isChanged && <span className={styles.changed}>{t('documents.mark_changed')}</span>}
      {!isChanged && segment.corrected && (
        <span className={styles.mark}>{t('documents.mark_corrected')}</span>
      )}
      {!isChanged && segment.confirmed_at !== null && (
        <span className={styles.mark} title={segment.confirmed_by ?? undefined}>
          {t('documents.mark_confirmed')}
        </span>
      )}
      {segment.quality.needs_review && segment.confirmed_at === null && (
        <span className={styles.flag}>{t('documents.mark_flagged')}</span>
      )}
    </>
  );
}

/** The translation as a text field. Alt with an arrow key moves to the next or previous segment. */
function Editor({ documentId, segment, corrections, languages, index, onMove }: RowProps) {
  const t = useT();
  const correction = useCorrection(corrections, segment.position);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus({ preventScroll: true }), []);
  const keyDown = (event: KeyboardEvent) => {
    // A key that ends the composition of an input method is not a shortcut.
    if (isComposing(event.nativeEvent)) return;
    if (event.altKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      onMove(index, event.key === 'ArrowDown' ? 1 : -1);
    }
  };
  return (
    <div className={styles.editor}>
      <textarea
        ref={field}
        {...languageOf(languages.target)}
        spellCheck
        translate="no"
        maxLength={50_000}
        aria-label={t('documents.translation_of', { number: segment.position + 1 })}
        value={correction?.text ?? segment.target_text ?? ''}
        onChange={({ target }) => corrections.change({ kind: 'edit', segment, text: target.value })}
        onKeyDown={keyDown}
      />
      <div className={styles.editorActions}>
        <bdi className="hint">{segment.place}</bdi>
        {!correction && <ConfirmSegment documentId={documentId} segment={segment} />}
        {correction && (
          <button
            type="button"
            className="plain small"
            onClick={() => {
              corrections.change({ kind: 'drop', positions: [segment.position] });
              field.current?.focus();
            }}
          >
            {t('documents.take_back')}
          </button>
        )}
      </div>
    </div>
  );
}
