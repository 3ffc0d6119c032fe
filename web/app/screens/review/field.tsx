import { type RefObject, useEffect, useId } from 'react';
import { useKeeping } from '../../drafts/drafts.ts';
import { useT } from '../../i18n.tsx';
import { editedFieldMark } from '../../keys/use-commands.ts';
import { LanguageText, languageOf } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { problemText } from '../../parts/problem.tsx';
import { unitMark } from '../../terms/selected-words.ts';
import styles from './review.module.css';
import type { Editing, SaveState } from './use-editing.ts';

/**
 * Source and translation side by side.
 * @param wantsFocus whether the field gets the focus when an item is opened
 */
export function SourceAndTarget({
  editing,
  isOpen,
  wantsFocus,
}: {
  editing: Editing;
  isOpen: boolean;
  wantsFocus: RefObject<boolean>;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { base, field, generation, hasFocus, initial } = editing;
  const label = useId();
  const note = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new generation is another textarea
  useEffect(() => {
    if (!(hasFocus ?? wantsFocus.current)) return;
    field.current?.focus();
    field.current?.setSelectionRange(0, 0);
  }, [generation, field, wantsFocus]);
  return (
    <div {...unitMark} className={styles.texts}>
      <section aria-label={t('review.source_in', { language: nameOf(base.sourceLang) })}>
        <h3>{nameOf(base.sourceLang)}</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls a long text by the arrow keys */}
        <div className={styles.source} tabIndex={0}>
          <LanguageText as="div" language={base.sourceLang} isSource>
            {base.source}
          </LanguageText>
        </div>
      </section>
      <section>
        <h3 id={label}>{nameOf(base.targetLang)}</h3>
        <textarea
          key={generation}
          ref={field}
          {...languageOf(base.targetLang)}
          {...editedFieldMark}
          className={styles.field}
          translate="no"
          spellCheck
          autoComplete="off"
          aria-labelledby={label}
          aria-describedby={note}
          defaultValue={initial}
          readOnly={!isOpen}
          onInput={editing.onInput}
        />
        <p id={note} className="hint">
          <StateNote state={editing.state} />
        </p>
      </section>
    </div>
  );
}

/** The state of the text: unchanged, saved on this device, or saved on the server. */
function StateNote({ state }: { state: SaveState }) {
  const t = useT();
  const isKeeping = useKeeping();
  if (state.kind === 'kept') return t(isKeeping ? 'review.kept' : 'review.not_kept');
  if (state.kind === 'saving') return t('review.saving');
  if (state.kind === 'saved') return t('review.saved');
  if (state.kind === 'unsaved') return t('review.unsaved', { problem: problemText(state.error, t) });
  return t('review.unchanged');
}
