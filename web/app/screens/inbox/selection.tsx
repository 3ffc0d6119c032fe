import { type ReactNode, type RefObject, Suspense, useState } from 'react';
import type { Item } from '../../assignments/assignments.ts';
import { loadWords, useT } from '../../i18n.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { announce } from '../../parts/announcer.tsx';
import { lazily } from '../../parts/lazily.tsx';

const AssignBar = lazily(async () => {
  const [bar] = await Promise.all([import('../../assignments/assign-bar.tsx'), loadWords('assignments')]);
  return { default: bar.AssignBar };
});

/** The selected rows of a list, by their keys. A row has its key in `data-key`. */
export interface Selection {
  has: (key: string) => boolean;
  toggle: (key: string) => void;
}

/**
 * Rows that can be selected and assigned. The keys A and D assign the selection or, without one, the focused row; X selects
 * the focused row.
 * @param known the keys of all rows
 * @param read returns the items of rows
 * @returns `shown`: the bar with the actions, the dialog and the undo, to be shown after the list; loaded when it is needed
 */
export function useSelection(
  list: RefObject<HTMLElement | null>,
  known: readonly string[],
  read: (keys: readonly string[]) => Item[] | Promise<Item[]>,
): { selection: Selection; shown: ReactNode } {
  const t = useT();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<{ keys: readonly string[]; focus: 'first' | 'due' }>();
  const [isUsed, setUsed] = useState(false);
  const keys = known.filter((key) => chosen.has(key));
  const toggle = (key: string) => {
    setUsed(true);
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  };
  const focused = () =>
    [...(list.current?.querySelectorAll<HTMLElement>('[data-key]') ?? [])].find((row) =>
      row.contains(document.activeElement),
    )?.dataset['key'];
  const ask = (focus: 'first' | 'due') => {
    const own = focused();
    const wanted = keys.length > 0 ? keys : own === undefined ? [] : [own];
    if (wanted.length === 0) return announce(t('assignments.select_first'));
    setUsed(true);
    setAsked({ keys: wanted, focus });
  };
  useCommands({
    assign: () => ask('first'),
    setDue: () => ask('due'),
    select: () => {
      const own = focused();
      if (own !== undefined) toggle(own);
    },
  });
  return {
    selection: { has: (key) => chosen.has(key), toggle },
    shown: isUsed && (
      <Suspense>
        <AssignBar
          count={keys.length}
          asked={asked}
          read={read}
          onAsk={ask}
          onClose={(isDone) => {
            setAsked(undefined);
            if (isDone) setChosen(new Set());
            // The row or button that had the focus may be gone.
            setTimeout(() => {
              if (document.activeElement === document.body)
                list.current?.querySelector<HTMLElement>('[data-key] a')?.focus();
            });
          }}
        />
      </Suspense>
    ),
  };
}
