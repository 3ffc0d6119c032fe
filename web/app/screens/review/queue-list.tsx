import { memo, type RefObject, useCallback, useEffect, useRef } from 'react';
import { useT } from '../../i18n.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import type { Sent } from './decision.ts';
import type { Summary } from './items.ts';
import styles from './review.module.css';
import { triggerNames } from './trigger-names.ts';
import type { Row } from './use-queue.ts';

/** The queue. Only the row of the open item can be reached with Tab; the keys J and K move to the other rows. */
export function QueueList({
  rows,
  openId,
  selected,
  held,
  list,
  onOpen,
  onSelect,
}: {
  rows: readonly Row[];
  openId: string | undefined;
  selected: ReadonlySet<string>;
  /** When other members' claims on jobs end, in milliseconds since 1970, by job ID. */
  held: ReadonlyMap<string, number>;
  list: RefObject<HTMLUListElement | null>;
  onOpen: (id: string) => void;
  onSelect: (id: string) => void;
}) {
  useEffect(() => {
    if (openId) rowOf(list.current, openId)?.scrollIntoView({ block: 'nearest' });
  }, [openId, list]);
  const latest = useRef({ onOpen, onSelect });
  useEffect(() => {
    latest.current = { onOpen, onSelect };
  });
  const open = useCallback((id: string) => latest.current.onOpen(id), []);
  const select = useCallback((id: string) => latest.current.onSelect(id), []);
  const first = openId ?? rows[0]?.summary.id;
  return (
    <ul ref={list} className={styles.list}>
      {rows.map(({ summary, back }) => (
        <QueueRow
          key={summary.id}
          summary={summary}
          back={back?.state}
          isOpen={summary.id === openId}
          isStop={summary.id === first}
          isSelected={selected.has(summary.id)}
          isHeld={(held.get(summary.id) ?? 0) > Date.now()}
          onOpen={open}
          onSelect={select}
        />
      ))}
    </ul>
  );
}

/** Memoized, so that a keystroke renders only the changed rows of up to 2,000. */
const QueueRow = memo(function QueueRow({
  summary,
  back,
  isOpen,
  isStop,
  isSelected,
  isHeld,
  onOpen,
  onSelect,
}: {
  summary: Summary;
  /** The state of the row's review if that was not saved; otherwise undefined. */
  back: Sent['state'] | undefined;
  isOpen: boolean;
  isStop: boolean;
  isSelected: boolean;
  isHeld: boolean;
  onOpen: (id: string) => void;
  onSelect: (id: string) => void;
}) {
  const t = useT();
  const { id, source_lang, target_lang, source_excerpt, triggers, claimed_by } = summary;
  const tabIndex = isStop ? 0 : -1;
  return (
    <li className={styles.row} data-open={isOpen || undefined}>
      <input
        type="checkbox"
        aria-label={t('review.select_row', { text: source_excerpt.slice(0, 60) })}
        tabIndex={tabIndex}
        checked={isSelected}
        onChange={() => onSelect(id)}
      />
      <button
        type="button"
        data-row={id}
        tabIndex={tabIndex}
        aria-current={isOpen || undefined}
        onClick={() => onOpen(id)}
      >
        <LanguageText as="span" language={source_lang} className={styles.excerpt}>
          {source_excerpt}
        </LanguageText>
        <span className={styles.about}>
          <bdi>
            {source_lang} → {target_lang}
          </bdi>
          {triggers[0] && ` · ${t(triggerNames[triggers[0]])}`}
        </span>
        {back && (
          <span className={styles.came}>
            {t(back === 'changed' ? 'review.row_changed' : 'review.row_refused')}
          </span>
        )}
        {(claimed_by.length > 0 || isHeld) && (
          <span className={styles.held}>{t('review.row_held', { who: claimed_by.join(', ') || '…' })}</span>
        )}
      </button>
    </li>
  );
});

/** Focuses a row. */
export function focusRow(list: HTMLUListElement | null, id: string | undefined): void {
  const row = id === undefined ? list?.querySelector<HTMLElement>('[data-row]') : rowOf(list, id);
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
}

function rowOf(list: HTMLUListElement | null, id: string): HTMLElement | null | undefined {
  return list?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
}
