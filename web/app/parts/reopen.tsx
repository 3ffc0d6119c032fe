import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReopenRequest } from '#sdk/types.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { queryKeys } from '../query-keys.ts';
import { isAdministrator, useMe } from '../session/use-me.ts';
import { announce } from './announcer.tsx';
import { Problem } from './problem.tsx';
import { useAction } from './use-action.ts';

/** Milliseconds for which the service accepts that a decision is undone. */
const allowedFor = 600_000;

/** A button that undoes a decision, shown while the service allows this to the member. */
export function Reopen({
  item,
  decidedAt,
  decidedBy,
}: {
  item: ReopenRequest;
  decidedAt: string;
  decidedBy: string | null;
}) {
  const t = useT();
  const me = useMe();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const left = Date.parse(decidedAt) + allowedFor - Date.now();
  const [isOver, setOver] = useState(left <= 0);
  useEffect(() => {
    setOver(left <= 0);
    const timer = setTimeout(() => setOver(true), Math.max(left, 0));
    return () => clearTimeout(timer);
  }, [left]);
  if (isOver || !me.data) return null;
  const { email, user_id } = me.data.user;
  if (decidedBy !== (email || user_id) && !isAdministrator(me.data)) return null;
  const reopen = run(async () => {
    await client.reviews.reopen(item);
    announce(t('review.reopened'));
    await queries.invalidateQueries({ queryKey: queryKeys[item.kind === 'job' ? 'jobs' : 'documents'].all });
  });
  return (
    <>
      <button type="button" disabled={isBusy} onClick={reopen}>
        {t('review.reopen')}
      </button>
      {error ? <Problem error={error} /> : null}
    </>
  );
}
