import { ArrowDown, Check, Cloud, CloudOff, Undo2 } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useKeeping } from '../drafts/drafts.ts';
import { useT } from '../i18n.tsx';
import { CommandKey } from '../keys/command-key.tsx';
import { runCommand } from '../keys/use-commands.ts';
import { Row } from '../kit/box.tsx';
import { Text } from '../kit/text.tsx';
import { useFormat } from '../parts/format.ts';
import { useOnline } from '../parts/offline.tsx';
import styles from './editor.module.css';
import type { Counts, RowSource } from './row-source.ts';
import { type SegmentSaves, stuckPositions } from './segment-saves.ts';
import { useUnsavedText } from './unsaved.tsx';

/** The progress, whether everything is saved, and the actions with their keys. */
export function EditorFoot({ source }: { source: RowSource }) {
  const t = useT();
  const { outline, hasMore = false, saves, canUndo, row, isReadOnly } = source;
  const canConfirm = row !== undefined && !isReadOnly(row);
  return (
    <footer className={styles['foot']}>
      {outline && <Progress outline={outline} hasMore={hasMore} />}
      <SavedState saves={saves} />
      <span className={styles['space']} />
      <button type="button" className="ghost" disabled={!canUndo} onClick={() => runCommand('undoDecision')}>
        <Undo2 size={16} aria-hidden className="mirrored" />
        <span className={styles['label']}>{t('editor.undo')}</span>
        <CommandKey id="undoDecision" />
      </button>
      <button
        type="button"
        className={`ghost ${styles['nextFinding']}`}
        disabled={!outline || outline.statuses.critical + outline.statuses.warning === 0}
        onClick={() => runCommand('nextFinding')}
      >
        {t('editor.next_finding')}
        <CommandKey id="nextFinding" />
      </button>
      <button type="button" disabled={outline?.segments === 0} onClick={() => runCommand('nextItem')}>
        <ArrowDown size={16} aria-hidden />
        <span className={styles['label']}>{t('editor.next')}</span>
        <CommandKey id="nextItem" />
      </button>
      <button type="button" className="primary" disabled={!canConfirm} onClick={() => runCommand('approve')}>
        <Check size={16} aria-hidden />
        {t('editor.confirm')}
        <CommandKey id="approve" />
      </button>
    </footer>
  );
}

function Progress({ outline: { segments, statuses }, hasMore }: { outline: Counts; hasMore: boolean }) {
  const t = useT();
  const { number } = useFormat();
  const total = `${number(segments)}${hasMore ? '+' : ''}`;
  const parts = (['confirmed', 'draft', 'critical'] as const)
    .map((status) => [status, statuses[status]] as const)
    .filter(([, count]) => count > 0);
  return (
    <div className={styles['progress']}>
      <Row isTight>
        <Text as="b" size="sm">
          {t('editor.progress', { confirmed: number(statuses.confirmed), segments: total })}
        </Text>
        {statuses.critical > 0 && (
          <Text size="sm" weight="semi" tone="crit">
            {t('editor.critical', { count: statuses.critical })}
          </Text>
        )}
      </Row>
      <div className={'status-bar'} aria-hidden>
        {parts.map(([status, count]) => (
          <i
            key={status}
            data-status={status}
            style={{ inlineSize: `${(100 * count) / Math.max(1, segments)}%` }}
          />
        ))}
      </div>
    </div>
  );
}

/** Whether all edits are stored by the service. */
function SavedState({ saves }: { saves: SegmentSaves }) {
  const t = useT();
  const { time } = useFormat();
  const isOnline = useOnline();
  const keeps = useKeeping();
  const textOf = useUnsavedText();
  const edits = [...useSyncExternalStore(saves.subscribe, saves.all).values()].filter(
    ({ state }) => state.kind !== 'empty',
  );
  const isWaiting = edits.some(({ state }) => state.kind === 'waiting');
  const stuck = stuckPositions(saves.all());
  const savedAt = saves.savedAt();
  const text = () => {
    if (!isOnline && keeps) return t('editor.offline', { count: edits.length });
    if (isWaiting) return t('editor.not_saved');
    if (edits.some(({ state }) => state.kind === 'typed' || state.kind === 'sending'))
      return t('editor.saving');
    if (stuck.length > 0) return textOf(stuck);
    return savedAt ? t('editor.saved', { time: time(savedAt) }) : '';
  };
  const Icon = isOnline && !isWaiting && stuck.length === 0 ? Cloud : CloudOff;
  return (
    <p className={styles['saved']} role="status">
      {text() !== '' && <Icon size={15} aria-hidden />} {text()}
    </p>
  );
}
