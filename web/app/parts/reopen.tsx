import { useQueryClient } from '@tanstack/react-query';
import type { ReopenRequest } from '#sdk/types.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { ActionButton } from '../kit/action-button.tsx';
import { queryKeys } from '../query-keys.ts';
import { isAdministrator, useMe } from '../session/use-me.ts';
import { announce } from './announcer.tsx';

/** A button that undoes a decision, shown if the service allows this to the member. */
export function Reopen({ item, decidedBy }: { item: ReopenRequest; decidedBy: string | null }) {
  const t = useT();
  const me = useMe();
  const queries = useQueryClient();
  if (!me.data) return null;
  const { email, user_id } = me.data.user;
  if (decidedBy !== (email || user_id) && !isAdministrator(me.data)) return null;
  const reopen = async () => {
    await client.reviews.reopen(item);
    announce(t('review.reopened'));
    await queries.invalidateQueries({ queryKey: queryKeys[item.kind === 'job' ? 'jobs' : 'documents'].all });
  };
  return <ActionButton onRun={reopen}>{t('review.reopen')}</ActionButton>;
}
