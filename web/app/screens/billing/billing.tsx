import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { AdminsOnly, Forbidden } from '../../parts/admins-only.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { queryKeys } from '../../query-keys.ts';
import { type Me, useMe } from '../../session/use-me.ts';
import { PaymentButton, Plans, TopUp } from './purchases.tsx';
import { type Standing, standingOf } from './standing.ts';

/** `/billing`: the subscription of the workspace, its remaining allowance, and payments. */
export function BillingScreen() {
  const t = useT();
  if (!deployment.billing)
    return (
      <>
        <title>{`${t('billing.title')} · LinguaLoop`}</title>
        <h1>{t('billing.title')}</h1>
        <Forbidden why={t('billing.off')} />
      </>
    );
  return (
    <AdminsOnly title="billing.title">
      {(me) => (
        <>
          <Returned me={me} />
          <Subscription me={me} />
        </>
      )}
    </AdminsOnly>
  );
}

const headlines: Record<Standing, MessageId> = {
  current: 'billing.current',
  lapsed: 'billing.lapsed',
  ended: 'billing.ended',
  none: 'billing.none',
};

function Subscription({ me }: { me: Me }) {
  const t = useT();
  const standing = standingOf(me);
  const { pay_tier: tier, pay_customer_id: customer } = me.tenant.metadata;
  return (
    <>
      <section aria-labelledby="subscription">
        <h2 id="subscription">{t('billing.subscription')}</h2>
        <p>
          <span className={`badge ${standing === 'current' ? 'good' : standing === 'lapsed' ? 'bad' : ''}`}>
            {t(headlines[standing])}
          </span>{' '}
          {standing === 'current' && isTier(tier) && t(`billing.${tier}`)}
        </p>
        {standing === 'lapsed' && <p>{t('billing.lapsed_why')}</p>}
        <Remaining me={me} />
        {typeof customer === 'string' && (
          <PaymentButton label={t('billing.portal')} open={() => client.billing.portal()} />
        )}
      </section>
      {(standing === 'none' || standing === 'ended') && <Plans />}
      {standing === 'current' && <TopUp />}
    </>
  );
}

function isTier(slug: unknown): slug is 'personal' | 'pro' | 'studio' {
  return slug === 'personal' || slug === 'pro' || slug === 'studio';
}

/** The remaining characters: of the trial, or of the plan with prepaid characters. */
function Remaining({ me }: { me: Me }) {
  const t = useT();
  const { number, day } = useFormat();
  const summary = useQuery({
    // The key contains the state of the subscription and the prepaid characters, so that the figures are reloaded after
    // a payment.
    queryKey: queryKeys.usage.summary(me.tenant.id, 'now', standingOf(me), prepaidOf(me)),
    queryFn: () => client.usage.summary(me.tenant.id, { limit: 1 }),
  });
  const granted = me.tenant.metadata['trial_chars_granted'];
  const isTrial = standingOf(me) === 'none' && typeof granted === 'number';
  return (
    <Read from={summary} lines={4}>
      {({ allowance, topup }) => (
        <dl className="facts">
          {isTrial && (
            <>
              <div>
                <dt>{t('billing.trial')}</dt>
                <dd>{t('billing.trial_of', { chars: number(granted) })}</dd>
              </div>
              <div>
                <dt>{t('billing.trial_until')}</dt>
                <dd>{day(trialEnd(me))}</dd>
              </div>
            </>
          )}
          <div>
            <dt>{t('billing.used')}</dt>
            <dd>{t('billing.used_of', { used: number(allowance.used), limit: number(allowance.limit) })}</dd>
          </div>
          {topup.purchased > 0 && (
            <div>
              <dt>{t('billing.prepaid')}</dt>
              <dd>{number(topup.balance)}</dd>
            </div>
          )}
        </dl>
      )}
    </Read>
  );
}

/** The days of a trial, counted from the creation of the workspace. */
const trialDays = 14;

function trialEnd({ tenant }: Me): string {
  return new Date(Date.parse(tenant.created_at) + trialDays * 86_400_000).toISOString();
}

/** Milliseconds between two polls, and maximum milliseconds of polling. */
const lookEvery = 2_000;
const lookFor = 120_000;

/**
 * The result with which the payment page redirected the member back. A payment counts only after the payment processor
 * has confirmed it to the service, so the component polls until then.
 */
function Returned({ me }: { me: Me }) {
  const t = useT();
  const { checkout, topup } = useSearch({ from: '/workspace/billing' });
  const [since] = useState(() => Date.now());
  const [prepaidBefore] = useState(() => prepaidOf(me));
  const { refetch } = useMe();
  const isPaid = checkout === 'success' || topup === 'success';
  const hasArrived = checkout ? standingOf(me) === 'current' : prepaidOf(me) !== prepaidBefore;
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isPaid || hasArrived) return;
    const timer = setInterval(() => {
      if (document.hidden) return;
      if (Date.now() - since > lookFor) {
        clearInterval(timer);
        // A top-up is not reported as late: its characters may have been credited before this page was opened.
        setLate(checkout !== undefined);
      } else void refetch();
    }, lookEvery);
    return () => clearInterval(timer);
  }, [isPaid, hasArrived, since, checkout, refetch]);

  if (!checkout && !topup) return null;
  const text: MessageId = !isPaid
    ? 'billing.cancelled'
    : hasArrived
      ? 'billing.arrived'
      : isLate
        ? 'billing.late'
        : topup
          ? 'billing.awaited_topup'
          : 'billing.awaited';
  return (
    <p role="status" className="notice">
      {t(text)}
    </p>
  );
}

function prepaidOf({ tenant }: Me): number {
  return Number(tenant.metadata['topup_chars_purchased'] ?? 0);
}
