import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { billing } from '#sdk/billing.ts';
import type { TenantUsageSummary } from '#sdk/types.ts';
import { bound, client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Badge, Text } from '../../kit/text.tsx';
import { AdminsOnly, Forbidden } from '../../parts/admins-only.tsx';
import { Bar } from '../../parts/bar.tsx';
import { useFormat } from '../../parts/format.ts';
import { leftOf } from '../../parts/left-of.ts';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { queryKeys } from '../../query-keys.ts';
import { type Me, useMe } from '../../session/use-me.ts';
import { Amount, PaymentButton, Plans, TopUp } from './purchases.tsx';

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

/**
 * The state of the subscription. `unpaid`: a payment has failed, or the first one is not made. `lapsed`: it is not current for
 * another reason; unknown states count as `lapsed`.
 */
type Standing = 'current' | 'unpaid' | 'lapsed' | 'ended' | 'none';

/** Determines the state of the subscription from the workspace's metadata, by the same rules as the service. */
function standingOf({ tenant }: Me): Standing {
  const status = tenant.metadata['pay_subscription_status'];
  if (status === undefined || status === null) return 'none';
  if (status === 'active' || status === 'trialing') return 'current';
  if (status === 'past_due' || status === 'unpaid' || status === 'incomplete') return 'unpaid';
  return status === 'canceled' || status === 'incomplete_expired' ? 'ended' : 'lapsed';
}

/** The prepaid characters that the workspace has bought so far. */
function prepaidOf({ tenant }: Me): number {
  return Number(tenant.metadata['topup_chars_purchased'] ?? 0);
}

const headlines: Record<Standing, MessageId> = {
  current: 'billing.current',
  unpaid: 'billing.unpaid',
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
          standing === 'lapsed' || standing === 'unpaid'
            ? t(`billing.${standing}_why`)
            : customer
              ? t('billing.subscription_why')
              : undefined
        }
        action={
          typeof customer === 'string' && (
            <PaymentButton
              label={t('billing.portal')}
              open={() => bound(billing).portal()}
              isPrimary={standing === 'unpaid'}
            />
          )
        }
      >
        <p>
          <Badge tone={standing === 'current' ? 'good' : isSold ? undefined : 'bad'}>
            {t(headlines[standing])}
          </Badge>{' '}
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

/** The remaining characters, as one number: of the trial, or of the plan with prepaid characters. */
function Allowance({ me }: { me: Me }) {
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
  const standing = standingOf(me);
  const prepaid = topup.purchased > 0 && (
    <li>
      {t('billing.prepaid')}: <b>{number(topup.balance)}</b>
    </li>
  );
  if (!trial && standing !== 'current')
    return (
      <>
        <p role={standing === 'unpaid' ? 'alert' : undefined}>
          {t(
            standing === 'unpaid'
              ? 'billing.paused'
              : standing === 'lapsed'
                ? 'billing.lapsed_why'
                : 'billing.needs_plan',
          )}
        </p>
        {prepaid && (
          <>
            <Row as="ul">{prepaid}</Row>
            <p className="hint">{t('billing.prepaid_kept')}</p>
          </>
        )}
      </>
    );
  return (
    <Stack gap={2}>
      <Text as="p" id="remaining" tone="soft">
        <Amount>{number(left)}</Amount> {t('billing.left_of', { limit: number(limit) })}
        <span className="hint">
          {trial
            ? t('billing.trial_covers', { day: day(trial.ends_at) })
            : t('billing.resets', { day: utcDay(nextMonth()) })}
        </span>
      </Text>
      <Bar labelledBy="remaining" max={limit} value={limit - left} />
      <Row as="ul" gap={4}>
        <li>{t('billing.used_chars', { chars: number(trial ? trial.used : allowance.used) })}</li>
        <li>{t('billing.reserved_chars', { chars: number(allowance.reserved) })}</li>
        {prepaid}
      </Row>
    </Stack>
  );
}

/** The first day of the next month in UTC, on which the allowance starts again. */
function nextMonth(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString().slice(0, 10);
}
