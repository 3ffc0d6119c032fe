import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { useT } from '../i18n.tsx';
import { CommandKey } from '../keys/changed-keys.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { announce } from '../parts/announcer.tsx';
import styles from './editor.module.css';
import type { RowSource } from './row-source.ts';
import { stuckPositions } from './segment-saves.ts';
import { useUnsavedText } from './unsaved.tsx';

/**
 * Offers to open a segment whose edit the service did not store, or that was found late. Neither is opened
 * automatically, because the reviewer may be typing in another one.
 */
export function OpeningBars({
  source: { saves, row, next, late, openAt, moveToNextOpen },
}: {
  source: Pick<RowSource, 'saves' | 'row' | 'next' | 'late' | 'openAt' | 'moveToNextOpen'>;
}) {
  const t = useT();
  const textOf = useUnsavedText();
  const edits = useSyncExternalStore(saves.subscribe, saves.all);
  const stuck = stuckPositions(edits);
  const left = stuck.filter((position) => position !== row?.position);
  const known = useRef(new Set<number>());
  const tell = useEffectEvent((positions: readonly number[]) => {
    const fresh = positions.find((position) => !known.current.has(position));
    known.current = new Set(positions);
    if (fresh !== undefined) announce(t('editor.returned', { number: fresh + 1 }));
  });
  useEffect(() => tell(stuck));
  // As soon as the service has answered about the decision, it can also be asked for the next segment.
  const isWaiting = [...edits.values()].some(({ state }) =>
    ['typed', 'sending', 'waiting'].includes(state.kind),
  );
  const tryAgain = useEffectEvent(() => {
    if (isWaiting || next !== 'failed') return;
    if (row && stuck.includes(row.position)) openAt(row.position);
    else void moveToNextOpen();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the service has answered
  useEffect(() => tryAgain(), [isWaiting]);
  const offered = left[0] ?? late;
  useCommands({ openUnsaved: () => offered !== null && openAt(offered) });
  return (
    <>
      {offered !== null && (
        <div className={styles['message']}>
          <span>{left.length > 0 ? textOf(left) : t('editor.late', { number: offered + 1 })}</span>
          <button type="button" className="small" onClick={() => openAt(offered)}>
            {t('editor.open_segment', { number: offered + 1 })} <CommandKey id="openUnsaved" />
          </button>
        </div>
      )}
      {next === 'failed' && (
        <div role="alert" className={styles['message']}>
          <span>{t('editor.next_failed')}</span>
          <button type="button" className="small" onClick={() => void moveToNextOpen()}>
            {t('common.retry')}
          </button>
        </div>
      )}
    </>
  );
}
