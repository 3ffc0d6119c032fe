import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { billing } from '#sdk/billing.ts';
import { bound } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { AdminsOnly, Forbidden } from '../../parts/admins-only.tsx';
import { Setting } from '../../parts/setting.tsx';
import { type Me, useMe } from '../../session/use-me.ts';
import { Allowance } from './allowance.tsx';
import { PaymentButton, Plans, TopUp } from './purchases.tsx';
import { prepaidOf, type Standing, standingOf } from './standing.ts';

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
  const isSold = standing === 'none' || standing === 'ended';
  return (
    <>
      <Allowance me={me} />
      <Setting
        id="subscription"
        title={t('billing.subscription')}
        why={
          standing === 'lapsed'
            ? t('billing.lapsed_why')
            : customer
              ? t('billing.subscription_why')
              : undefined
        }
        action={
          typeof customer === 'string' && (
            <PaymentButton
              label={t('billing.portal')}
              open={() => bound(billing).portal()}
              isPrimary={false}
            />
          )
        }
      >
        <p>
          <span className={`badge ${standing === 'current' ? 'good' : standing === 'lapsed' ? 'bad' : ''}`}>
            {t(headlines[standing])}
          </span>{' '}
          {standing === 'current' && isTier(tier) && t(`billing.${tier}`)}
        </p>
      </Setting>
      {(isSold || standing === 'current') && (
        <Plans current={isSold ? undefined : isTier(tier) ? tier : ''} />
      )}
      {standing === 'current' && deployment.topUp && <TopUp {...deployment.topUp} />}
    </>
  );
}

function isTier(slug: unknown): slug is 'personal' | 'pro' | 'studio' {
  return slug === 'personal' || slug === 'pro' || slug === 'studio';
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
