import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { GlossaryEntry, TerminologySet } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { isComposing } from '../../keys/match-key.ts';
import { announce } from '../../parts/announcer.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { TermFields } from './term-fields.tsx';
import styles from './terms.module.css';
import { presentTerm, type TermInput, termOf } from './use-terms.ts';

/**
 * A term of a glossary with fields instead of texts. Enter saves it, Escape cancels. If another member has changed the
 * term, the row shows the present one, and the member decides.
 */
export function TermEditRow({
  set,
  entry,
  onSave,
  onClose,
}: {
  set: TerminologySet;
  entry: GlossaryEntry;
  onSave: (seen: GlossaryEntry, term: TermInput) => Promise<void>;
  onClose: () => void;
}) {
  const t = useT();
  const form = useId();
  const first = useRef<HTMLInputElement>(null);
  const { run, error, isBusy } = useAction();
  const [term, setTerm] = useState(() => termOf(entry));
  // A reload of the list must not change what the member saw when editing began.
  const [seen, setSeen] = useState(entry);
  useEffect(() => first.current?.focus(), []);
  const change = (changed: Partial<TermInput>) => setTerm((before) => ({ ...before, ...changed }));
  const save = (base: GlossaryEntry) =>
    run(async () => {
      await onSave(base, term);
      announce(t('sets.term_saved', { term: term.source_term }));
      onClose();
    });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !isComposing(event.nativeEvent)) onClose();
  };
  return (
    <>
      <tr className={styles.edited} onKeyDown={onKeyDown}>
        <TermFields set={set} term={term} form={form} first={first} withPriority onChange={change} />
        <td className={styles.acts}>
          <form id={form} onSubmit={save(seen)}>
            <button type="submit" className="primary" disabled={isBusy}>
              {t('sets.save')}
            </button>
            <button type="button" disabled={isBusy} onClick={onClose}>
              {t('common.cancel')}
            </button>
          </form>
        </td>
      </tr>
      {error !== undefined && (
        <tr className={styles.message}>
          <td colSpan={4}>
            <TermProblem
              error={error}
              entry={entry}
              isBusy={isBusy}
              onKeep={(present) => {
                setSeen(present);
                void save(present)();
              }}
              onClose={onClose}
            />
          </td>
        </tr>
      )}
    </>
  );
}

/** Why a term was not saved. If another member has changed it, the member decides which one stays. */
export function TermProblem({
  error,
  entry,
  isBusy,
  onKeep,
  onClose,
}: {
  error: unknown;
  entry: GlossaryEntry;
  isBusy: boolean;
  onKeep: (present: GlossaryEntry) => void;
  onClose: () => void;
}) {
  const t = useT();
  const present = presentTerm(error);
  if (!present) return <Problem error={error} />;
  if (present.entry_no !== entry.entry_no) return <p role="alert">{t('sets.term_exists')}</p>;
  return (
    <div role="alert" className={styles.conflict}>
      <p>
        {t('sets.term_changed')}{' '}
        <bdi translate="no">
          {present.source_term} → {present.target_term}
        </bdi>
      </p>
      <button type="button" disabled={isBusy} onClick={() => onKeep(present)}>
        {t('sets.keep_mine')}
      </button>
      <button type="button" disabled={isBusy} onClick={onClose}>
        {t('sets.take_theirs')}
      </button>
    </div>
  );
}
