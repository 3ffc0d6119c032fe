import { useMemo, useState } from 'react';
import type { TranslationJob } from '#sdk/types.ts';
import { listDrafts } from '../../drafts/drafts.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { queryClient } from '../../query-client.ts';
import type { Action, Decision, Sent } from './decision.ts';
import { jobQuery, type OpenItem } from './item-pane.tsx';
import { isNewer, itemOfJob, itemOfSummary, type Seen, type Summary } from './items.ts';
import { useOutbox } from './outbox-provider.tsx';
import type { Row } from './use-queue.ts';

export interface Selection {
  ids: ReadonlySet<string>;
  /**
   * The number of items that the last action completed (`done`), that were not saved (`back`), and that it did not
   * touch because of unsent changes (`left`).
   */
  outcome: { done: number; back: number; left: number } | undefined;
  toggle(id: string): void;
  add(...ids: (string | undefined)[]): void;
  /** The items that the last action skipped and about which the reviewer has not decided yet. */
  leftOut: readonly Sent[];
  clear(): void;
  /** Approves those of the skipped items that the reviewer has selected. */
  approveLeftOut(ids: ReadonlySet<string>): Promise<void>;
  closeLeftOut(): void;
  /** Acts on all selected rows. If the open item is among them, the text in its field is sent. */
  act(action: Action, open: OpenItem | null, notes?: string): Promise<void>;
}

/** The selection. A selected row counts only while the list contains it. */
export function useSelection(rows: readonly Row[]): Selection {
  const t = useT();
  const outbox = useOutbox();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [outcome, setOutcome] = useState<Selection['outcome']>();
  const [leftOut, setLeftOut] = useState<readonly Sent[]>([]);
  const ids = useMemo(
    () => new Set(rows.flatMap(({ summary }) => (chosen.has(summary.id) ? [summary.id] : []))),
    [rows, chosen],
  );
  const send = async (decisions: readonly Decision[], left: number) => {
    const became = await outbox.sendMany(decisions);
    if (!became) return;
    const { leftOut: out, ...counts } = became;
    setOutcome({ ...counts, left });
    setLeftOut(out);
    announce(t('review.bulk_outcome', { ...counts, left }));
  };
  return {
    ids,
    outcome,
    toggle: (id) =>
      setChosen((before) =>
        before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
      ),
    add: (...more) => setChosen((before) => new Set([...before, ...more.filter((id) => id !== undefined)])),
    clear: () => setChosen(new Set()),
    async act(action, open, notes) {
      const selected = rows.filter(({ summary }) => ids.has(summary.id));
      setChosen(new Set());
      // Rows with unsent changes on this device are not acted on, because the action would ignore these changes.
      const stored = await listDrafts().catch(() => []);
      const drafts = new Set(stored.map(({ item }) => item.id));
      // The open item is also not acted on if saving its draft fails.
      const opened = selected.some(({ summary }) => summary.id === open?.item.id) ? open : null;
      const saving = opened?.saving();
      const saved = await saving?.catch(() => undefined);
      const mayActOnOpened =
        opened?.isReady &&
        !opened.showUndecided() &&
        (saved || !saving) &&
        (action === 'reject' || opened.text.trim() !== '');
      const decisions = selected.flatMap(({ summary }): Decision[] => {
        if (opened?.item.id === summary.id)
          return mayActOnOpened
            ? [
                {
                  item: { ...opened.item, ...saved },
                  action,
                  notes,
                  text: opened.text,
                  confirmUnopened: true,
                },
              ]
            : [];
        return drafts.has(summary.id) ? [] : [{ item: seenItem(summary), action, notes }];
      });
      const left = selected.length - decisions.length;
      await send(decisions, left);
    },
    leftOut,
    closeLeftOut: () => setLeftOut([]),
    async approveLeftOut(named) {
      const decisions = leftOut.filter(({ item }) => named.has(item.id));
      await send(
        decisions.map(({ item, action, text, notes, leftOut: why }) => ({
          item,
          action,
          text,
          notes,
          confirmUnopened: true,
          confirmCritical: why?.reason === 'critical_findings',
        })),
        0,
      );
    },
  };
}

/**
 * The latest known item of a row that is not open. The cached job may be more recent than the list, after a draft was
 * saved.
 */
function seenItem(summary: Summary): Seen {
  const { id, updated_at: version } = summary;
  const job = queryClient.getQueryData<TranslationJob>(jobQuery(id).queryKey);
  const read = job && itemOfJob(job);
  return read && !isNewer({ version }, read) ? read : (itemOfSummary(summary) ?? { id, version });
}
