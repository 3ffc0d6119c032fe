import { useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Plus } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import type { GlossaryEntry, TerminologySet } from '#sdk/types.ts';
import { canonicalLanguage } from '#server/languages.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Read } from '../../parts/loading.tsx';
import { More } from '../../parts/more.tsx';
import { Problem } from '../../parts/problem.tsx';
import { UndoToast } from '../../parts/undo-toast.tsx';
import { useAction } from '../../parts/use-action.ts';
import type { ContentFilter, SearchedSide } from './search.ts';
import { NoContent } from './set-screen.tsx';
import { TermEditRow } from './term-edit-row.tsx';
import { TermFields } from './term-fields.tsx';
import { TermRow } from './term-row.tsx';
import { TermSheet } from './term-sheet.tsx';
import styles from './terms.module.css';
import { useRowKeys } from './use-row-keys.ts';
import { maxSorted, presentTerm, type TermInput, useTerms } from './use-terms.ts';

/**
 * The terms of a glossary as a grid. The first row adds a term. The arrow keys move between rows; Enter edits a term in
 * its row, and Delete deletes it.
 */
export function TermList({ set, filter }: { set: TerminologySet; filter: ContentFilter }) {
  const t = useT();
  const terms = useTerms(set, filter);
  const [edited, setEdited] = useState<number>();
  const [detailed, setDetailed] = useState<GlossaryEntry>();
  const keys = useRowKeys();
  const close = ({ entry_no }: GlossaryEntry, place: number) => {
    // The member may have opened another row while this one was being saved.
    if (edited === entry_no) keys.focusRow(place);
    setEdited((now) => (now === entry_no ? undefined : now));
  };
  const remove = async (entry: GlossaryEntry, place: number, count: number) => {
    await terms.remove(entry);
    // The next term takes the place of the deleted one.
    keys.focusRow(Math.min(place, count - 2));
  };
  const last = terms.deleted.at(-1);
  const count = terms.deleted.length;
  return (
    <>
      <Read from={terms.reading} lines={12}>
        {(entries) => (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows can be focused, as in a grid */}
            <table ref={keys.grid} role="grid" aria-label={t('sets.terms')} className={styles.terms}>
              <thead>
                <tr>
                  <SortHeader by="source" set={set} filter={filter} />
                  <SortHeader by="target" set={set} filter={filter} />
                  <th scope="col">{t('sets.rules')}</th>
                  <th scope="col">
                    <span className="visually-hidden">{t('sets.actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                <NewTermRow set={set} onAdd={terms.add} />
                {entries.map((entry, place) =>
                  entry.entry_no === edited ? (
                    <TermEditRow
                      key={entry.entry_no}
                      set={set}
                      entry={entry}
                      onSave={terms.update}
                      onClose={() => close(entry, place)}
                    />
                  ) : (
                    <TermRow
                      key={entry.entry_no}
                      entry={entry}
                      row={keys.row(place)}
                      onEdit={() => setEdited(entry.entry_no)}
                      onDetails={() => setDetailed(entry)}
                      onDelete={() => remove(entry, place, entries.length)}
                    />
                  ),
                )}
              </tbody>
            </table>
            {entries.length === 0 && <NoContent filter={filter} hasMore={terms.more.hasNextPage} />}
          </>
        )}
      </Read>
      <More of={terms.more} />
      {detailed && (
        <TermSheet
          key={detailed.entry_no}
          set={set}
          entry={detailed}
          terms={terms}
          onClose={() => setDetailed(undefined)}
        />
      )}
      {last && (
        <UndoToast
          change={terms.deleted}
          done={
            count === 1
              ? t('sets.term_deleted', { term: last.source_term })
              : t('sets.terms_deleted', { count })
          }
          onUndo={async () => {
            await terms.restore();
            return t('sets.terms_restored', { count });
          }}
          onOver={terms.forget}
        />
      )}
    </>
  );
}

/** The header of a column by which the terms can be sorted. A second click reverses the order. */
function SortHeader({
  by,
  set,
  filter: { sort = 'source', descending, ...filter },
}: {
  by: SearchedSide;
  set: TerminologySet;
  filter: Omit<ContentFilter, 'sort'> & { sort?: SearchedSide };
}) {
  const t = useT();
  const navigate = useNavigate();
  if (set.entry_count > maxSorted) return <th scope="col">{t(`sets.${by}`)}</th>;
  const isSorted = sort === by;
  const choose = () =>
    void navigate({
      to: '/app/glossaries/$setId',
      params: { setId: set.id },
      search: {
        ...filter,
        ...(by === 'target' && { sort: by }),
        ...(isSorted && !descending && { descending: true }),
      },
      replace: true,
      resetScroll: false,
    });
  const Arrow = descending ? ArrowDown : ArrowUp;
  return (
    <th scope="col" aria-sort={isSorted ? (descending ? 'descending' : 'ascending') : undefined}>
      <button type="button" className={`ghost ${styles.sort}`} onClick={choose}>
        {t(`sets.${by}`)} {isSorted && <Arrow size={13} aria-hidden />}
      </button>
    </th>
  );
}

/** The row that adds a term. It stays ready for the next one, with the same languages. */
function NewTermRow({
  set,
  onAdd,
}: {
  set: TerminologySet;
  onAdd: (term: TermInput) => Promise<OutputOf<'terminology.addTerm'>>;
}) {
  const t = useT();
  const form = useId();
  const first = useRef<HTMLInputElement>(null);
  const { run, error, isBusy } = useAction();
  const [term, setTerm] = useState<TermInput>(() => ({
    source_lang: languageCode(set.source_lang),
    target_lang: languageCode(set.target_lang),
    source_term: '',
    target_term: '',
    case_sensitive: false,
    priority: 0,
  }));
  const [added, setAdded] = useState<OutputOf<'terminology.addTerm'>>();
  const add = run(async () => {
    setAdded(undefined);
    const result = await onAdd(term);
    setAdded(result);
    // What was typed during the request is the next term.
    setTerm((now) =>
      now.source_term === term.source_term && now.target_term === term.target_term
        ? { ...now, source_term: '', target_term: '' }
        : now,
    );
    announce(t(result.added ? 'sets.term_added' : 'sets.term_known', { term: result.entry.source_term }));
    first.current?.focus();
  });
  const others = added?.other_targets ?? [];
  return (
    <>
      <tr className={styles.new}>
        <TermFields
          set={set}
          term={term}
          form={form}
          first={first}
          onChange={(change) => setTerm((before) => ({ ...before, ...change }))}
        />
        <td className={styles.acts}>
          <form id={form} onSubmit={add}>
            <button type="submit" className="primary" disabled={isBusy}>
              <Plus size={15} aria-hidden /> {t('sets.add_term')}
            </button>
          </form>
        </td>
      </tr>
      {(error !== undefined || others.length > 0) && (
        <tr className={styles.message}>
          <td colSpan={4}>
            {error ? (
              presentTerm(error) ? (
                <p role="alert">{t('sets.term_exists')}</p>
              ) : (
                <Problem error={error} />
              )
            ) : (
              <p role="status">
                {t('sets.other_targets')} <bdi translate="no">{others.join(' · ')}</bdi>
              </p>
            )}
          </td>
        </tr>
      )}
    </>
  );
}

/** The code for the language tag of a glossary; null without one. */
function languageCode(tag: string | null): string | null {
  return tag === null ? null : (canonicalLanguage(tag) ?? null);
}
