import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { MemoryChange, TranslationMemorySet } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { ActionButton } from '../../kit/action-button.tsx';
import { Text } from '../../kit/text.tsx';
import { UndoToast } from '../../kit/toast.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { queryKeys } from '../../query-keys.ts';
import type { MemoryChanges } from './use-memory-changes.ts';

/** The changes of a TM in the last 30 days, each of which can be undone. They are loaded when the member opens them. */
export function MemoryHistory({ set, changes }: { set: TranslationMemorySet; changes: MemoryChanges }) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('sets.history')}</summary>
      {isOpen && <Changes set={set} changes={changes} />}
    </details>
  );
}

function Changes({ set, changes }: { set: TranslationMemorySet; changes: MemoryChanges }) {
  const t = useT();
  const { reading, more } = usePages(queryKeys.memory.changes(set.id), (cursor) =>
    client.memory.changePage({ set_id: set.id, ...(cursor && { cursor }) }),
  );
  return (
    <>
      <Read from={reading} lines={3}>
        {(all) =>
          all.length === 0 ? (
            <p>{t('sets.history_empty')}</p>
          ) : (
            <ul>
              {all.map((change) => (
                <Change key={change.id} change={change} onUndo={() => changes.undo([change.id])} />
              ))}
            </ul>
          )
        }
      </Read>
      <More of={more} />
    </>
  );
}

function Change({
  change,
  onUndo,
}: {
  change: MemoryChange;
  onUndo: () => ReturnType<MemoryChanges['undo']>;
}) {
  const t = useT();
  const { moment } = useFormat();
  const undo = async () => {
    const { undone, kept } = await onUndo();
    announce(
      `${t('sets.units_restored', { count: undone })} ${kept > 0 ? t('sets.units_kept', { count: kept }) : ''}`,
    );
  };
  const { kind, segments: count, first } = change;
  return (
    <li>
      {t(`sets.kind_units_${kind}`, { count })} · <bdi>{change.by ?? t('audit.by_api_key')}</bdi> ·{' '}
      <time dateTime={change.at}>{moment(change.at)}</time>{' '}
      {change.undone_at ? (
        <Text tone="soft">{t('sets.undone')}</Text>
      ) : (
        <ActionButton onRun={undo}>
          <Undo2 size={15} aria-hidden /> {t('sets.undo')}
        </ActionButton>
      )}
      {first && (
        <p className="hint">
          <bdi translate="no">{first.old.source_text}</bdi> · <del>{first.old.target_text}</del>{' '}
          {first.new && <ins>{first.new.target_text}</ins>}
        </p>
      )}
    </li>
  );
}

/** Offers to undo the latest change of this visit. */
export function UndoChange({ changes }: { changes: MemoryChanges }) {
  const t = useT();
  const { latest } = changes;
  if (!latest) return null;
  return (
    <UndoToast
      change={latest.ids[0]}
      done={t('sets.units_changed', { count: latest.count })}
      onUndo={async () => t('sets.units_restored', { count: (await changes.undo(latest.ids)).undone })}
      onOver={changes.forget}
    />
  );
}
