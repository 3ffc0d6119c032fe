import { useMemo, useState } from 'react';
import { listDrafts } from '../../drafts/drafts.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import type { OpenItem } from './item-pane.tsx';
import type { Item, Summary } from './items.ts';
import { type Action, type Decision, sendMany } from './outbox.ts';
import type { Row } from './use-queue.ts';

export interface Selection {
  ids: ReadonlySet<string>;
  /** How many of those that were acted on last were done, came back, and were left because of a text that was not sent. */
  outcome: { done: number; back: number; left: number } | undefined;
  toggle(id: string): void;
  add(...ids: (string | undefined)[]): void;
  clear(): void;
  /** Acts on all selected rows. The text of the open one is sent as it is in its field. */
  act(action: Action, open: OpenItem | null, notes?: string): Promise<void>;
}

/** The rows that were selected, as far as they are still in the list. */
export function useSelection(rows: readonly Row[]): Selection {
  const t = useT();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [outcome, setOutcome] = useState<Selection['outcome']>();
  const ids = useMemo(
    () => new Set(rows.flatMap(({ summary }) => (chosen.has(summary.id) ? [summary.id] : []))),
    [rows, chosen],
  );
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
      // A text that waits on this device would be passed over without a word.
      const drafts = new Set((await listDrafts()).map(({ item }) => item.id));
      const decisions = selected.flatMap(({ summary }): Decision[] => {
        if (open?.item.id === summary.id)
          return open.isReady && !open.showUndecided()
            ? [{ item: open.item, action, notes, text: open.isEdited ? open.text : undefined }]
            : [];
        return drafts.has(summary.id) ? [] : [{ item: listedItem(summary), action, notes }];
      });
      setChosen(new Set());
      const left = selected.length - decisions.length;
      const { done, back } = await sendMany(decisions);
      setOutcome({ done, back, left });
      announce(t('review.bulk_outcome', { done, back, left }));
    },
  };
}

/** The item of a row whose job was not opened. No text is sent, so that excerpts are enough. */
function listedItem(summary: Summary): Item {
  return {
    id: summary.id,
    source: summary.source_excerpt,
    sourceLang: summary.source_lang,
    target: summary.translation_excerpt ?? '',
    targetLang: summary.target_lang,
    isHtml: summary.text_type === 'Html',
    version: summary.updated_at,
  };
}
