import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { queryKeys } from '../../query-keys.ts';

/** The remaining monthly allowance of the workspace, in weighted characters. Only for administrators. */
export function AllowanceLeft({ tenantId }: { tenantId: string }) {
  const t = useT();
  const { number } = useFormat();
  const usage = useQuery({
    queryKey: queryKeys.usage.summary(tenantId),
    queryFn: () => client.usage.summary(tenantId, { limit: 1 }),
  });
  return (
    <Read from={usage}>
      {({ allowance: { limit, used, reserved, remaining }, topup }) => (
        <>
          <p>{t('home.left', { left: number(Math.max(0, remaining)), limit: number(limit) })}</p>
          <meter
            min={0}
            max={limit}
            low={limit * 0.1}
            high={limit * 0.25}
            optimum={limit}
            value={Math.max(0, remaining)}
            aria-label={t('home.allowance')}
          />
          <p className="hint">
            {t('home.used', { used: number(used), reserved: number(reserved) })}
            {topup.balance > 0 && ` ${t('home.prepaid', { balance: number(topup.balance) })}`}
          </p>
        </>
      )}
    </Read>
  );
}
