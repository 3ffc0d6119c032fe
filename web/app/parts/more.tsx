import { useT } from '../i18n.tsx';
import { announce } from './announcer.tsx';
import { Problem } from './problem.tsx';

/** The part of an infinite query that loads its next page. */
interface Pages {
  data: { pages: readonly { items: readonly unknown[] }[] } | undefined;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): Promise<Pages>;
}

/** Below a list: loads the next page of it. What was read stays where it is, so the place is never lost. */
export function More({ of }: { of: Pages }) {
  const t = useT();
  if (!of.hasNextPage) return null;
  const more = async () => {
    const { data, error } = await of.fetchNextPage();
    if (!error) announce(t('common.shown', { count: countItems(data) }));
  };
  return (
    <>
      {of.error ? <Problem error={of.error} /> : null}
      <button type="button" disabled={of.isFetchingNextPage} onClick={() => void more()}>
        {of.isFetchingNextPage ? t('common.loading') : t('common.more')}
      </button>
    </>
  );
}

function countItems(data: Pages['data']): number {
  return data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
}
