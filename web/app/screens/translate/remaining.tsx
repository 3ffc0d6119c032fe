import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { leftOf } from '../../parts/left-of.ts';
import { queryKeys } from '../../query-keys.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import styles from './translate.module.css';

/** The remaining characters of the workspace, for administrators. If they cannot be loaded, nothing is shown. */
export function Remaining() {
  const t = useT();
  const { number } = useFormat();
  const { data: me } = useMe();
  const isAdmin = me !== undefined && isAdministrator(me);
  const tenantId = me?.tenant.id ?? '';
  const { data } = useQuery({
    queryKey: queryKeys.usage.summary(tenantId),
    queryFn: () => client.usage.summary(tenantId, { limit: 1 }),
    enabled: isAdmin,
  });
  if (!data) return null;
  const { left, limit } = leftOf(data);
  return (
    <span className={styles.remaining}>
      {t('translate.left', { left: number(left), limit: number(limit) })}
    </span>
  );
}
