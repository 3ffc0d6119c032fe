import { useEffect, useState } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryClient } from '../../query-client.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Action, Sent } from './decision.ts';
import { readJob } from './deliver-review.ts';
import { useOutbox } from './outbox-provider.tsx';
import styles from './review.module.css';

/** The last decision, which can be undone. */
export interface Undoable {
  id: string;
  action: Action;
  /** Its result, after the service has stored it. */
  outcome: Promise<Sent | undefined>;
}

/** Milliseconds for which it is offered here; the job's page offers it longer. */
const offeredFor = 20_000;

/** Offers to undo the last decision, for a while or until the next one. */
export function Undo({
  undoable,
  onUndone,
  onOver,
}: {
  undoable: Undoable;
  onUndone: (id: string) => void;
  onOver: (over: Undoable) => void;
}) {
  const t = useT();
  const outbox = useOutbox();
  const { run, error, isBusy } = useAction();
  const [isHeld, setHeld] = useState(false);
  const isKept = isBusy || isHeld || error !== undefined;
  useEffect(() => {
    if (isKept) return;
    const timer = setTimeout(() => onOver(undoable), offeredFor);
    return () => clearTimeout(timer);
  }, [isKept, onOver, undoable]);
  useEffect(() => {
    // A review that was not saved is not a decision.
    void undoable.outcome.then((sent) => sent?.state !== 'done' && onOver(undoable));
  }, [undoable, onOver]);
  const undo = run(async () => {
    const { id, outcome } = undoable;
    if ((await outcome)?.state !== 'done') return;
    await client.reviews.reopen({ kind: 'job', id });
    await readJob(id);
    outbox.forget(id);
    announce(t('review.reopened'));
    onUndone(id);
    await queryClient.invalidateQueries({ queryKey: queryKeys.jobs.queues });
  });
  return (
    <div className={styles.outcome} role="status">
      {t(undoable.action === 'approve' ? 'review.you_approved' : 'review.you_rejected')}{' '}
      <button
        type="button"
        className="small"
        disabled={isBusy}
        onClick={undo}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        {t('review.undo')}
      </button>
      {error ? <Problem error={error} /> : null}
    </div>
  );
}
