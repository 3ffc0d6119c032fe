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
  /** The result of the decision; it settles after the service has stored the decision. */
  outcome: Promise<Sent | undefined>;
}

/** Milliseconds for which this screen offers to undo a decision. The page of the job offers it for longer. */
const offeredFor = 20_000;

/** Offers to undo the last decision, until the time is over or the next decision is made. */
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
    // If a review was not saved, there is nothing to undo.
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
