import { ChevronRight, Copy, Flag, GitCompare, Omega } from 'lucide-react';
import { type ReactNode, type RefObject, Suspense, useState } from 'react';
import { loadWords, useT } from '../i18n.tsx';
import { CommandKey } from '../keys/command-key.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { lazily } from '../parts/lazily.tsx';
import styles from './editor.module.css';
import { toggleChanges, toggleRepetitions, useEditorView } from './editor-view.ts';
import { insertText } from './insert-text.ts';
import type { EditedSegment } from './segment.ts';
import { plainOf } from './tagged-text.ts';
import type { OpenText } from './use-open-text.ts';

const Characters = lazily(async () => {
  const [module] = await Promise.all([import('./characters.tsx'), loadWords('tools')]);
  return module;
});
const MarkError = lazily(async () => ({
  default: (await (await import('./error-marks.tsx')).loadErrorMarks()).MarkError,
}));
const MissingTags = lazily(() => import('./missing-tags.tsx'));

/** The tools below the field of the open segment, with their keys. */
export function SegmentTools({
  segment,
  shown: {
    shownSource,
    text,
    missing,
    errors,
    machine,
    isReadOnly,
    languages: { target: language },
  },
  field,
  children,
}: {
  segment: EditedSegment;
  shown: OpenText;
  field: RefObject<HTMLTextAreaElement | null>;
  /** Shown at the end of the line. */
  children: ReactNode;
}) {
  const t = useT();
  const { showsChanges } = useEditorView();
  const { source_content: content, repetitions = 0 } = segment;
  const insert = (one: string) => field.current && insertText(field.current, one);
  const copySource = () => field.current && insertText(field.current, shownSource, 'all');
  const putBack = () => missing[0] && insert(missing[0]);
  const [isPicking, setPicking] = useState(false);
  const togglePicker = () => {
    if (isPicking) field.current?.focus();
    setPicking(!isPicking && !isReadOnly);
  };
  const [marked, setMarked] = useState<{ text: string; start: number }>();
  const markError = () => {
    const { value = '', selectionStart: start = 0, selectionEnd = 0 } = field.current ?? {};
    const opens = marked === undefined && !isReadOnly && machine !== '';
    setMarked(opens ? { text: plainOf(value.slice(start, selectionEnd), content), start } : undefined);
    if (!opens) field.current?.focus();
  };
  useCommands({
    putBack,
    copySource,
    noBreakSpace: () => insert('\u00a0'),
    changeCase: () =>
      void import('./change-case.ts').then(
        ({ changeCase }) => field.current && !isReadOnly && changeCase(field.current, language),
      ),
    characters: togglePicker,
    markError,
    showChanges: toggleChanges,
    toggleRepetitions,
  });
  return (
    <>
      <div className={styles['tools']}>
        <button type="button" className="ghost small" disabled={isReadOnly} onClick={copySource}>
          <Copy size={14} aria-hidden /> {t('editor.copy_source')}
        </button>
        <button type="button" className="ghost small" aria-pressed={showsChanges} onClick={toggleChanges}>
          <GitCompare size={14} aria-hidden /> {t('editor.changes')} <CommandKey id="showChanges" />
        </button>
        {!isReadOnly && (
          <>
            <button type="button" className="ghost small" aria-expanded={isPicking} onClick={togglePicker}>
              <Omega size={14} aria-hidden /> {t('editor.special_characters')} <CommandKey id="characters" />
            </button>
            <button type="button" className="ghost small" aria-expanded={!!marked} onClick={markError}>
              <Flag size={14} aria-hidden /> {t('editor.mark_error')} <CommandKey id="markError" />
            </button>
            <RepetitionChoice repetitions={repetitions} />
          </>
        )}
        {content && !isReadOnly && (
          <Suspense>
            <MissingTags source={content} text={text} field={field} onNone={putBack} />
          </Suspense>
        )}
        {missing.map((span) => (
          <button key={span} type="button" className="ghost small" onClick={() => insert(span)}>
            <ChevronRight size={14} aria-hidden /> {t('editor.insert')}{' '}
            <code className={styles['placeholder']}>{span}</code>
            {span === missing[0] && <CommandKey id="putBack" />}
          </button>
        ))}
        {children}
      </div>
      {isPicking && (
        <Suspense>
          <Characters language={language} onInsert={insert} onClose={togglePicker} />
        </Suspense>
      )}
      {marked && (
        <Suspense>
          <MarkError {...{ segment, machine, language, marks: errors }} words={marked} onClose={markError} />
        </Suspense>
      )}
    </>
  );
}

/** Whether a confirmation also fills the repetitions of the segment. Nothing is shown if it has none. */
function RepetitionChoice({ repetitions }: { repetitions: number }) {
  const t = useT();
  const { isOnlyHere } = useEditorView();
  if (repetitions === 0) return null;
  return (
    <label className="check">
      <input type="checkbox" checked={!isOnlyHere} onChange={toggleRepetitions} />
      {t('editor.also_repetitions', { count: repetitions })}
      <CommandKey id="toggleRepetitions" />
    </label>
  );
}
