import { CalendarDays, UserRoundPlus, X } from 'lucide-react';
import { lazy, type ReactNode, type RefObject, Suspense, useState } from 'react';
import type { Item } from '../../assignments/assignments.ts';
import { useAssign } from '../../assignments/use-assign.tsx';
import { useT } from '../../i18n.tsx';
import { keyLabel } from '../../keys/commands.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { announce } from '../../parts/announcer.tsx';
import bar from '../../parts/dark-bar.module.css';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import styles from './inbox.module.css';

const AssignDialog = lazy(async () => ({
  default: (await import('../../assignments/assign-dialog.tsx')).AssignDialog,
}));

/** The selected rows of a list, by their keys. A row has its key in `data-key`. */
export interface Selection {
  has: (key: string) => boolean;
  toggle: (key: string) => void;
}

/** Marks an element as the row with a key. */
export const rowMark = (key: string) => ({ 'data-key': key });

/**
 * Rows that can be selected and assigned. The keys A and D assign the selection or, without one, the focused row; X selects
 * the focused row.
 * @param read returns the items of rows
 * @returns `shown`: the bar with the actions, the dialog and the undo, to be shown after the list
 */
export function useSelection(
  list: RefObject<HTMLElement | null>,
  known: readonly string[],
  read: (keys: readonly string[]) => Item[] | Promise<Item[]>,
): { selection: Selection; assign: ReturnType<typeof useAssign>['assign']; shown: ReactNode } {
  const t = useT();
  const me = useMe();
  const { assign, toast } = useAssign();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<{ items: Item[]; focus: 'first' | 'due' }>();
  const { run, error, isBusy } = useAction();
  const keys = known.filter((key) => chosen.has(key));
  const toggle = (key: string) =>
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const focused = () =>
    [...(list.current?.querySelectorAll<HTMLElement>('[data-key]') ?? [])].find((row) =>
      row.contains(document.activeElement),
    )?.dataset['key'];
  const ask = (focus: 'first' | 'due') =>
    run(async () => {
      const own = focused();
      const wanted = keys.length > 0 ? keys : own === undefined ? [] : [own];
      if (wanted.length === 0) announce(t('assignments.select_first'));
      else setAsked({ items: await read(wanted), focus });
    });
  useCommands({
    assign: () => void ask('first')(),
    setDue: () => void ask('due')(),
    select: () => {
      const own = focused();
      if (own !== undefined) toggle(own);
    },
  });
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  return {
    selection: { has: (key) => chosen.has(key), toggle },
    assign,
    shown: (
      <>
        {keys.length > 0 && (
          <section className={bar['bar']} aria-label={t('assignments.selection')}>
            <b role="status">{t('assignments.selected', { count: keys.length })}</b>
            <button type="button" disabled={isBusy} onClick={ask('first')}>
              <UserRoundPlus size={16} aria-hidden />
              {t('assignments.assign_dots')} <kbd>{keyLabel('a')}</kbd>
            </button>
            {isAdmin && (
              <button type="button" disabled={isBusy} onClick={ask('due')}>
                <CalendarDays size={16} aria-hidden />
                {t('assignments.due_dots')} <kbd>{keyLabel('d')}</kbd>
              </button>
            )}
            <button type="button" aria-label={t('assignments.deselect')} onClick={() => setChosen(new Set())}>
              <X size={16} aria-hidden />
            </button>
          </section>
        )}
        {error ? <Problem error={error} /> : null}
        <Suspense>
          {asked && (
            <AssignDialog
              items={asked.items}
              focus={asked.focus}
              assign={async (changes) => {
                const refused = await assign(changes);
                if (refused.length === 0) setChosen(new Set());
                return refused;
              }}
              onClose={() => setAsked(undefined)}
            />
          )}
        </Suspense>
        {toast}
      </>
    ),
  };
}

/** The checkbox of a row. */
export function SelectRow({
  rowKey,
  name,
  selection,
}: {
  rowKey: string;
  name: string;
  selection: Selection;
}) {
  const t = useT();
  return (
    <input
      type="checkbox"
      className={styles.select}
      aria-label={t('assignments.select', { name })}
      checked={selection.has(rowKey)}
      onChange={() => selection.toggle(rowKey)}
    />
  );
}
