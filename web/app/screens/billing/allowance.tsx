import { useQuery } from '@tanstack/react-query';
import type { TenantUsageSummary } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Bar } from '../../parts/bar.tsx';
import { useFormat } from '../../parts/format.ts';
import { leftOf } from '../../parts/left-of.ts';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { queryKeys } from '../../query-keys.ts';
import type { Me } from '../../session/use-me.ts';
import styles from './billing.module.css';
import { prepaidOf, standingOf } from './standing.ts';

/** The remaining characters, as one number: of the trial, or of the plan with prepaid characters. */
export function Allowance({ me }: { me: Me }) {
  const t = useT();
  const summary = useQuery({
    // The key contains the state of the subscription and the prepaid characters, so that the figures are reloaded after
    // a payment.
    queryKey: queryKeys.usage.summary(me.tenant.id, 'now', standingOf(me), prepaidOf(me)),
    queryFn: () => client.usage.summary(me.tenant.id, { limit: 1 }),
  });
  return (
    <Setting id="allowance" title={t('billing.allowance')}>
      <Read from={summary} lines={4}>
        {(found) => <Remaining me={me} of={found} />}
      </Read>
    </Setting>
  );
}

function Remaining({ me, of }: { me: Me; of: TenantUsageSummary }) {
  const t = useT();
  const { number, day, utcDay } = useFormat();
  const { allowance, topup, trial } = of;
  const { left, limit } = leftOf(of);
  if (!trial && standingOf(me) !== 'current') return <p>{t('billing.needs_plan')}</p>;
  return (
    <>
      <p id="remaining" className={styles['remaining']}>
        <b>{number(left)}</b> {t('billing.left_of', { limit: number(limit) })}
        <span className="hint">
          {trial
            ? t('billing.trial_covers', { day: day(trial.ends_at) })
            : t('billing.resets', { day: utcDay(nextMonth()) })}
        </span>
      </p>
      <Bar labelledBy="remaining" max={limit} value={limit - left} />
      <ul className={styles['facts']}>
        <li>{t('billing.used_chars', { chars: number(trial ? trial.used : allowance.used) })}</li>
        <li>{t('billing.reserved_chars', { chars: number(allowance.reserved) })}</li>
        {topup.purchased > 0 && (
          <li>
            {t('billing.prepaid')}: <b>{number(topup.balance)}</b>
          </li>
        )}
      </ul>
    </>
  );
}

/** The first day of the next month in UTC, on which the allowance starts again. */
function nextMonth(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString().slice(0, 10);
}
