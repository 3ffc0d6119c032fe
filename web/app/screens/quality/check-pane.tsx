import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import type { QualityCheck, QualityCheckError } from '#sdk/types.ts';
import { ask, tell } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { searchedText } from '../../parts/searched-text.ts';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './quality.module.css';

const categories = ['accuracy', 'fluency', 'terminology', 'style', 'locale'] as const;
const severities = ['minor', 'major', 'critical'] as const;

/** The errors that a member has marked in a text, and a note that belongs to none yet. */
export interface Marks {
  errors: QualityCheckError[];
  note: string;
}

export const noMarks: Marks = { errors: [], note: '' };

/** One check: the texts, and the errors that are marked in the translation, or the result. */
export function CheckPane({
  checkId,
  marks,
  onMarks,
  onDone,
}: {
  checkId: string;
  marks: Marks;
  onMarks: (marks: Marks) => void;
  onDone: () => Promise<void>;
}) {
  const check = useQuery({
    queryKey: queryKeys.quality.check(checkId),
    queryFn: () => ask<QualityCheck>('quality.check', { check_id: checkId }),
  });
  return (
    <div className={styles['pane']}>
      <Read from={check} lines={10}>
        {(found) =>
          found.checked_at === null ? (
            <OpenCheck of={found} marks={marks} onMarks={onMarks} onDone={onDone} />
          ) : (
            <DoneCheck of={found} />
          )
        }
      </Read>
    </div>
  );
}

function OpenCheck({
  of: check,
  marks: { errors, note },
  onMarks,
  onDone,
}: {
  of: QualityCheck;
  marks: Marks;
  onMarks: (marks: Marks) => void;
  onDone: () => Promise<void>;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [isNoteLeft, setNoteLeft] = useState(false);
  const target = useRef<HTMLTextAreaElement>(null);
  const decide = (skip: boolean) =>
    run(async () => {
      // A note without a marked error would be lost, and the text would count as one without errors.
      if (note !== '' && !skip) return setNoteLeft(true);
      const done = await tell<QualityCheck>('quality.decide', {
        check_id: check.check_id,
        errors: skip ? [] : errors,
        skip,
      });
      announce(
        done.verdict === null || done.score === null
          ? t('quality.skipped')
          : t('quality.saved', { verdict: t(`quality.verdict_${done.verdict}`), score: done.score }),
      );
      await onDone();
    });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void decide(false)();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key is that of the button below, which has the focus order
    <div onKeyDown={onKeyDown}>
      <Texts of={check} target={target} />
      <MarkError
        note={note}
        onNote={(changed) => onMarks({ errors, note: changed })}
        onMark={(marked) => {
          const { selectionStart = 0, selectionEnd = 0 } = target.current ?? {};
          const [start, end] =
            selectionStart === selectionEnd ? [0, check.target_text.length] : [selectionStart, selectionEnd];
          setNoteLeft(false);
          onMarks({ errors: [...errors, { ...marked, note, start, end }], note: '' });
        }}
      />
      <Errors
        of={check}
        errors={errors}
        onRemove={(at) => onMarks({ errors: errors.toSpliced(at, 1), note })}
      />
      {error ? <Problem error={error} /> : null}
      {isNoteLeft && note !== '' && (
        <p role="alert" className="field-problem">
          {t('quality.note_left')}
        </p>
      )}
      <div className={styles['acts']}>
        <button type="button" className="primary" aria-busy={isBusy} onClick={decide(false)}>
          {t(errors.length === 0 ? 'quality.no_error' : 'quality.save', { errors: errors.length })}
          <kbd>Ctrl ⏎</kbd>
        </button>
        <button type="button" onClick={decide(true)}>
          {t('quality.skip')}
        </button>
        <span className="hint">{t('quality.blind')}</span>
      </div>
    </div>
  );
}

/** The source next to the translation, in which words can be selected by mouse and by keyboard. */
function Texts({
  of: check,
  target,
}: {
  of: QualityCheck;
  target?: React.RefObject<HTMLTextAreaElement | null>;
}) {
  const t = useT();
  const { utcDay } = useFormat();
  const { nameOf } = useLanguages();
  const id = useId();
  const facts = [check.name ?? t('quality.text'), utcDay(check.day), check.domain];
  const rows = Math.min(14, 2 + Math.ceil(Math.max(check.source_text.length, check.target_text.length) / 42));
  return (
    <>
      <p className={styles['facts']}>{facts.filter(Boolean).join(' · ')}</p>
      <div className={styles['texts']}>
        {(['source', 'target'] as const).map((side) => (
          <label key={side} htmlFor={`${id}-${side}`}>
            <span>{nameOf(check[`${side}_lang`])}</span>
            <textarea
              id={`${id}-${side}`}
              ref={(area) => keepUnchanged(area, side === 'target' ? target : undefined)}
              aria-readonly
              rows={rows}
              dir="auto"
              lang={check[`${side}_lang`]}
              value={check[`${side}_text`]}
              onChange={() => {}}
            />
          </label>
        ))}
      </div>
    </>
  );
}

/**
 * Refuses changes of a text whose words can be selected. A field with `readOnly` has no selection by keyboard in some
 * browsers.
 */
function keepUnchanged(
  area: HTMLTextAreaElement | null,
  target: React.RefObject<HTMLTextAreaElement | null> | undefined,
): () => void {
  const refuse = (event: Event) => event.preventDefault();
  area?.addEventListener('beforeinput', refuse);
  if (target) {
    target.current = area;
    // After a decision, the keyboard continues in the next text.
    if (area && (document.activeElement === document.body || document.activeElement === null)) area.focus();
  }
  return () => area?.removeEventListener('beforeinput', refuse);
}

/** Marks the selected words of the translation, or the whole translation, as an error. */
function MarkError({
  note,
  onNote,
  onMark,
}: {
  note: string;
  onNote: (note: string) => void;
  onMark: (error: Pick<QualityCheckError, 'category' | 'severity'>) => void;
}) {
  const t = useT();
  const [category, setCategory] = useState<QualityCheckError['category']>('accuracy');
  const id = useId();
  return (
    <fieldset className={styles['mark']}>
      <legend>{t('quality.mark')}</legend>
      <div className={styles['chips']}>
        {categories.map((one) => (
          <label key={one}>
            <input type="radio" name={id} checked={one === category} onChange={() => setCategory(one)} />
            {t(`quality.category_${one}`)}
          </label>
        ))}
      </div>
      <label>
        {t('quality.note')}
        <input value={note} maxLength={500} onChange={({ target }) => onNote(target.value)} />
      </label>
      <div className={styles['acts']}>
        {severities.map((severity) => (
          <button
            key={severity}
            type="button"
            data-kind={severity}
            onClick={() => onMark({ category, severity })}
          >
            {t(`quality.mark_${severity}`)}
            <small>{t(`quality.means_${severity}`)}</small>
          </button>
        ))}
      </div>
    </fieldset>
  );
}

function Errors({
  of: { target_text, target_lang },
  errors,
  onRemove,
}: {
  of: QualityCheck;
  errors: readonly QualityCheckError[];
  onRemove?: (at: number) => void;
}) {
  const t = useT();
  if (errors.length === 0) return null;
  return (
    <ul className={styles['errors']} aria-label={t('quality.errors')}>
      {errors.map(({ category, severity, start, end, note }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: errors have no ID, and equal ones look alike
        <li key={at}>
          <b data-kind={severity}>{t(`quality.verdict_${severity}`)}</b>
          <span>
            {t(`quality.category_${category}`)}
            {': '}
            <q lang={target_lang}>{target_text.slice(start, end)}</q>
            {note && ` · ${note}`}
          </span>
          {onRemove && (
            <button type="button" className="ghost" onClick={() => onRemove(at)}>
              {t('quality.remove')}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function DoneCheck({ of: check }: { of: QualityCheck }) {
  const t = useT();
  const { moment, number } = useFormat();
  const { verdict, score, checked_at, checked_by } = check;
  return (
    <>
      <Texts of={check} />
      <p>
        {verdict && <b data-kind={verdict}>{t(`quality.verdict_${verdict}`)}</b>}
        {` · ${[checked_by, checked_at && moment(checked_at)].filter(Boolean).join(', ')}`}
        {score !== null && ` · ${t('quality.score_was', { score: number(score) })}`}
      </p>
      <Errors of={check} errors={check.errors} />
      <p>
        <Link
          to="/app/concordance"
          search={{
            text: searchedText(check.source_text) ?? '',
            from: check.source_lang,
            to: check.target_lang,
          }}
        >
          {t('quality.find_in_tm')}
        </Link>
      </p>
    </>
  );
}
