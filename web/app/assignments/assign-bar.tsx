import { CalendarDays, UserRoundPlus, X } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useT } from '../i18n.tsx';
import { CommandKey } from '../keys/command-key.tsx';
import bar from '../parts/dark-bar.module.css';
import { Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';
import { isAdministrator, useMe } from '../session/use-me.ts';
import { AssignDialog } from './assign-dialog.tsx';
import type { Item } from './assignments.ts';
import { useAssign } from './use-assign.tsx';

/** The actions on selected rows of a list, the dialog that assigns their items, and its undo. */
export function AssignBar({
  count,
  asked,
  read,
  onAsk,
  onClose,
}: {
  /** The number of selected rows; without any, the bar is hidden. */
  count: number;
  /** The rows to assign, and the field that has the focus first. */
  asked: { keys: readonly string[]; focus: 'first' | 'due' } | undefined;
  /** Returns the items of rows. */
  read: (keys: readonly string[]) => Item[] | Promise<Item[]>;
  onAsk: (focus: 'first' | 'due') => void;
  /** Called at the end of the dialog, or to deselect all. @param isDone whether the rows are deselected */
  onClose: (isDone: boolean) => void;
}) {
  const t = useT();
  const me = useMe();
  const { assign, toast } = useAssign();
  const [items, setItems] = useState<readonly Item[]>();
  const [isDone, setDone] = useState(false);
  // The buttons stay enabled: a disabled one loses the focus, to which the closed dialog returns.
  const { run, error } = useAction();
  const open = useEffectEvent(() => {
    if (!asked) return setItems(undefined);
    setDone(false);
    void run(async () => setItems(await read(asked.keys)))();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request opens the dialog
  useEffect(() => open(), [asked]);
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  return (
    <>
      {count > 0 && (
        <section className={bar['bar']} aria-label={t('assignments.selection')}>
          <b role="status">{t('assignments.selected', { count })}</b>
          <button type="button" onClick={() => onAsk('first')}>
            <UserRoundPlus size={16} aria-hidden />
            {t('assignments.assign_dots')} <CommandKey id="assign" />
          </button>
          {isAdmin && (
            <button type="button" onClick={() => onAsk('due')}>
              <CalendarDays size={16} aria-hidden />
              {t('assignments.due_dots')} <CommandKey id="setDue" />
            </button>
          )}
          <button type="button" aria-label={t('assignments.deselect')} onClick={() => onClose(true)}>
            <X size={16} aria-hidden />
          </button>
        </section>
      )}
      {error ? <Problem error={error} /> : null}
      {asked && items && (
        <AssignDialog
          items={items}
          focus={asked.focus}
          assign={async (changes) => {
            const refused = await assign(changes);
            setDone(refused.length === 0);
            return refused;
          }}
          onClose={() => onClose(isDone)}
        />
      )}
      {toast}
    </>
  );
}
