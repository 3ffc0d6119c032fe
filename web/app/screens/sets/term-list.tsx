import { useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { TerminologySet } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { UndoToast } from '../../kit/toast.tsx';
import { Read } from '../../parts/loading.tsx';
import { More } from '../../parts/more.tsx';
import { NewTermRow } from './new-term-row.tsx';
import { useEditedRow, useRowKeys } from './row-keys.tsx';
import type { ContentFilter, SearchedSide } from './search.ts';
import { NoContent } from './set-screen.tsx';
import { TermEditRow } from './term-form.tsx';
import { TermRow } from './term-row.tsx';
import styles from './terms.module.css';
import { maxSorted, useTerms } from './use-terms.ts';

/**
 * The terms of a glossary as a grid. The first row adds a term. The arrow keys move between rows; Enter edits a term in
 * its row, and Delete deletes it.
 */
export function TermList({ set, filter }: { set: TerminologySet; filter: ContentFilter }) {
  const t = useT();
  const terms = useTerms(set, filter);
  const { edited, edit, editing } = useEditedRow<number>();
  const keys = useRowKeys();
  const last = terms.deleted.at(-1);
  const count = terms.deleted.length;
  return (
    <>
      <Read from={terms.reading} lines={12}>
        {(entries) => (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows can be focused, as in a grid */}
            <table ref={keys.grid} role="grid" aria-label={t('sets.terms')} className={styles.grid}>
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
                      terms={terms}
                      editing={editing(entry.entry_no)}
                    />
                  ) : (
                    <TermRow
                      key={entry.entry_no}
                      entry={entry}
                      row={keys.row(place)}
                      onEdit={() => edit(entry.entry_no)}
                      onDelete={() => terms.remove(entry)}
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
      <button type="button" className="ghost small" onClick={choose}>
        {t(`sets.${by}`)} {isSorted && <Arrow size={13} aria-hidden />}
      </button>
    </th>
  );
}
